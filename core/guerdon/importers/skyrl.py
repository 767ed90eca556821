"""SkyRL's evaluations: JSON lines, written with ``trainer.dump_eval_results``.

Fields (SkyRL's trainer, ``<export_path>/dumped_evals/global_step_12_evals/<data source>.jsonl``):
input_prompt, output_response, score (a number, or one a token), stop_reason, env_class, env_extras,
data_source. ``aggregated_results.jsonl`` beside them holds means and is passed over.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from guerdon.errors import DataError
from guerdon.importers.rows import Row, Step, asked, json_lines, messages, number, text_of

FOLDER = re.compile(r"(?:global_step_(?P<step>\d+)|eval_only)(?:_evals)?$")
AGGREGATED = "aggregated_results.jsonl"


def read_skyrl(path: Path) -> Iterator[Step]:
    """Read the folder of one evaluation, or of all.

    Raises:
        DataError: there is none, or one is not of this format.
    """
    found: dict[int, list[Path]] = {}
    for file in sorted(path.glob("**/*.jsonl")) if path.is_dir() else [path]:
        if file.name != AGGREGATED and (match := FOLDER.search(file.parent.name)):
            found.setdefault(int(match["step"] or 0), []).append(file)
    if not found:
        raise DataError(f"{path} holds no global_step_*_evals/*.jsonl; evaluate with trainer.dump_eval_results=true")
    for step, files in sorted(found.items()):
        yield Step(step, [_row(row, str(file)) for file in files for row in json_lines(file)])


def _row(row: dict[str, Any], place: str) -> Row:
    score, extras = asked(row, "score", place), row.get("env_extras")
    if isinstance(score, list):
        score = sum(known for one in score if (known := number(one)) is not None)
    reward_model = extras.get("reward_model") if isinstance(extras, dict) else None
    truth = reward_model.get("ground_truth") if isinstance(reward_model, dict) else None
    return Row(
        prompt=messages(asked(row, "input_prompt", place)),
        completion=text_of(asked(row, "output_response", place)),
        values={"score": number(score)},
        reference={} if truth is None else {"answer": truth},
        metadata={"source": str(row.get("data_source") or "unknown")},
        truncated=row.get("stop_reason") == "length",
    )
