"""Writing a run's dashboards and alarms."""

import json
from pathlib import Path
from typing import Any

from guerdon.config import RunConfig
from guerdon_trainer.deploy.dashboards import cloudwatch, grafana, put_alarms


def write_dashboards(config: RunConfig, folder: Path, *, region: str, topic: str | None = None) -> list[Path]:
    """Write ``grafana.json``, ``cloudwatch.json`` and a file for each alarm.

    Args:
        config: the run; its components become curves and alarms.
        folder: is made; files of the same names are replaced.
        region: of CloudWatch.
        topic: ARN of the SNS topic that alarms notify.
    """
    files: dict[Path, Any] = {
        folder / "grafana.json": grafana(config),
        folder / "cloudwatch.json": cloudwatch(config, region),
    }
    for alarm in put_alarms(config, topic):
        name = alarm["AlarmName"].removeprefix(f"guerdon-{config.run.name}-")
        files[folder / "alarms" / f"{name}.json"] = alarm
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return list(files)
