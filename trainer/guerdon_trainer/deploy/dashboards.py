"""Dashboards and alarms of a run: what to look at, written down once for Grafana and CloudWatch."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from guerdon.config import RunConfig
from guerdon_trainer.deploy.manifests import object_name

NAMESPACE = "guerdon"
"""CloudWatch's namespace of our metrics; the only dimension is ``run``."""

MISSING_AFTER_S = 1800
"""A run that logs no step for that long is stalled."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves that belong together, by the names that `guerdon_trainer.metrics` gives them."""

    title: str
    metrics: tuple[str, ...]
    unit: str = "short"


@dataclass(frozen=True, slots=True)
class Alarm:
    """A metric that must not lie above a bound."""

    name: str
    metric: str
    above: float
    why: str
    minutes: int = 15
    missing: str = "missing"
    """What CloudWatch takes no data for: `missing`, or `breaching` where silence is the alarm."""


def panels(components: Sequence[str]) -> list[Panel]:
    """Return the panels of a run with these components."""
    failed = tuple(f"component/{name}/{status}" for name in components for status in ("error", "timeout"))
    return [
        Panel("Components, mean", tuple(f"component/{name}/mean" for name in components)),
        Panel("Components, spread in a group", tuple(f"component/{name}/spread" for name in components)),
        Panel("Failing rewards", failed, "percentunit"),
        Panel("Abstaining rewards", tuple(f"component/{name}/abstain" for name in components), "percentunit"),
        Panel("Held-out outcome", ("eval/greedy/outcome", "eval/sampled/outcome")),
        Panel("Groups without a signal", ("groups/constant",), "percentunit"),
        Panel("Total and advantage", ("total/mean", "advantage/abs_mean")),
        Panel("KL and log-probability gap", ("kl", "logprob_gap")),
        Panel("Loss and gradient norm", ("loss", "gradient_norm")),
        Panel("Clipping and entropy", ("clip_fraction", "entropy")),
        Panel("Tokens per second", ("rollout/tokens_per_second", "train/tokens_per_second_per_device")),
        Panel(
            "Time of a step", ("time/step", "time/generate", "time/train_critic_and_policy", "time/sync_weights"), "s"
        ),
        Panel("Waiting for rewards", ("rollout/wait_for_rewards_s",), "s"),
        Panel("Completions: tokens, share truncated", ("rollout/length_mean", "rollout/truncated")),
    ]


def alarms(config: RunConfig) -> list[Alarm]:
    """Return the alarms of a run."""
    found = [
        Alarm("stalled", "loss", 1e9, "no step was logged", MISSING_AFTER_S // 60, "breaching"),
        Alarm("constant-groups", "groups/constant", 0.9, "nearly every group gets one total: nothing is learnt"),
        Alarm("logprob-gap", "logprob_gap", 0.2, "sampler and trainer disagree about the policy"),
    ]
    for name in config.rewards:
        for status in ("error", "timeout"):
            why = f"the reward {name} fails on more than 5% of the samples"
            found.append(Alarm(f"{name}-{status}", f"component/{name}/{status}", 0.05, why))
    return found


def prometheus_name(metric: str) -> str:
    """Return the name under which Ray's endpoint has a gauge of ours, which Ray prefixes with ``ray_``."""
    return "ray_guerdon_" + re.sub(r"[^a-zA-Z0-9]+", "_", metric).strip("_").lower()


def grafana(config: RunConfig) -> dict[str, Any]:
    """Return a dashboard to import into Grafana; the data source and the run are chosen there."""
    label = object_name(config.run.name)
    shown = [_grafana_panel(number, panel) for number, panel in enumerate(panels(list(config.rewards)))]
    return {
        "uid": f"guerdon-{label}"[:40],
        "title": f"guerdon: {config.run.name}",
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {
            "list": [
                {"name": "source", "type": "datasource", "query": "prometheus"},
                {"name": "run", "type": "textbox", "query": config.run.name, "current": {"value": config.run.name}},
            ]
        },
        "panels": [*shown, *_hardware(len(shown))],
    }


def cloudwatch(config: RunConfig, region: str) -> dict[str, Any]:
    """Return the body of a CloudWatch dashboard."""
    return {
        "widgets": [
            {
                "type": "metric",
                **dict(zip(("x", "y", "width", "height"), _place(number, 24), strict=True)),
                "properties": {
                    "title": panel.title,
                    "region": region,
                    "period": 60,
                    "stat": "Average",
                    "metrics": [[NAMESPACE, metric, "run", config.run.name] for metric in panel.metrics],
                },
            }
            for number, panel in enumerate(panels(list(config.rewards)))
        ]
    }


def put_alarms(config: RunConfig, topic: str | None = None) -> list[dict[str, Any]]:
    """Return the parameters of ``aws cloudwatch put-metric-alarm``, an object for each alarm."""
    return [
        {
            "AlarmName": f"guerdon-{config.run.name}-{alarm.name}",
            "AlarmDescription": f"Run {config.run.name}: {alarm.why}.",
            "Namespace": NAMESPACE,
            "MetricName": alarm.metric,
            "Dimensions": [{"Name": "run", "Value": config.run.name}],
            "Statistic": "Average",
            "Period": 60 * alarm.minutes,
            "EvaluationPeriods": 1,
            "Threshold": alarm.above,
            "ComparisonOperator": "GreaterThanThreshold",
            "TreatMissingData": alarm.missing,
            "AlarmActions": [topic] if topic else [],
        }
        for alarm in alarms(config)
    ]


def _grafana_panel(number: int, panel: Panel) -> dict[str, Any]:
    return _time_series(
        number, panel.title, [(f'{prometheus_name(name)}{{run="$run"}}', name) for name in panel.metrics], panel.unit
    )


def _hardware(after: int) -> list[dict[str, Any]]:
    """Return what Ray itself measures of every node."""
    return [
        _time_series(after, "GPU utilisation", [("ray_node_gpus_utilization", "{{instance}} {{GpuIndex}}")], "percent"),
        _time_series(after + 1, "GPU memory", [("ray_node_gram_used", "{{instance}} {{GpuIndex}}")], "decmbytes"),
    ]


def _time_series(number: int, title: str, queries: list[tuple[str, str]], unit: str) -> dict[str, Any]:
    source = {"type": "prometheus", "uid": "${source}"}
    x, y, width, height = _place(number, 24)
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": title,
        "datasource": source,
        "gridPos": {"x": x, "y": y, "w": width, "h": height},
        "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
        "targets": [
            {"refId": f"Q{index}", "datasource": source, "expr": query, "legendFormat": legend}
            for index, (query, legend) in enumerate(queries)
        ],
    }


def _place(number: int, columns: int) -> tuple[int, int, int, int]:
    """Return x, y, width, height of the n-th of panels that stand two in a row."""
    width, height = columns // 2, 7
    return (number % 2) * width, (number // 2) * height, width, height
