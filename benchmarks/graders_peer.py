"""The peers' side of ``python -m benchmarks graders``: scores cases that it reads from standard input."""

import json
import sys
from collections.abc import Callable, Mapping
from importlib import metadata
from typing import Any

type Case = Mapping[str, Any]


def math_verify(case: Case) -> float | None:
    """Call Math-Verify as its README does; letters as strings where the answer is a choice."""
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, StringExtractionConfig, parse, verify

    reference = case["reference"]
    gold = reference["answer"]
    if reference["type"] == "choice":
        letters = [str(label).lower() for label in reference["options"]]
        configs: list[Any] = [StringExtractionConfig(strings=tuple(letters))]
        target = parse(str(gold), extraction_config=configs)
    else:
        configs = [LatexExtractionConfig(), ExprExtractionConfig()]
        text = str(gold)
        target = parse(f"${text}$" if reference["type"] == "math" else text, extraction_config=configs)
    if not target:
        return None
    return float(verify(target, parse(case["completion"], extraction_config=configs)))


def trl_accuracy(case: Case) -> float | None:
    """Call TRL's reward as its trainer does."""
    from trl.rewards import accuracy_reward

    reference = case["reference"]
    gold = str(reference["answer"])
    solution = f"${gold}$" if reference["type"] == "math" else gold
    values = accuracy_reward([[{"role": "assistant", "content": case["completion"]}]], [solution])
    return values[0]


def trl_think(case: Case) -> float | None:
    """Call TRL's format reward."""
    from trl.rewards import think_format_reward

    return think_format_reward([[{"role": "assistant", "content": case["completion"]}]])[0]


def trl_length(case: Case) -> float | None:
    """Call TRL's soft overlong punishment or repetition penalty on the case's token ids."""
    from trl.rewards import get_repetition_penalty_reward, get_soft_overlong_punishment

    config, known = case["config"], case["metadata"]
    ids = known["token_ids"] if "token_ids" in known else [0] * known.get("token_count", 0)
    if config["component"] == "soft_overlong":
        punish = get_soft_overlong_punishment(config["max_len"], config["cache_len"])
        return punish(completion_ids=[ids])[0]
    penalise = get_repetition_penalty_reward(config["ngram"], config.get("max_penalty", -1.0))
    values: list[float] = penalise(completions=[[{"role": "assistant", "content": case["completion"]}]])
    return values[0]


GRADERS: dict[str, Callable[[Case], float | None]] = {
    "Math-Verify": math_verify,
    "TRL accuracy_reward": trl_accuracy,
    "TRL think_format_reward": trl_think,
    "TRL length rewards": trl_length,
}


def value_of(grader: str, case: Case) -> dict[str, Any]:
    """Return the score of a case; what the grader raises is its own answer."""
    try:
        return {"value": GRADERS[grader](case)}
    except Exception as error:  # noqa: BLE001  # a grader that raises is not right
        return {"error": f"{type(error).__name__}: {error}"[:200]}


def main() -> None:
    """Answer line by line: ``{"grader": name, "case": {...}}``, or ``{"versions": true}``."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "versions" in asked:
            answer: object = {name: metadata.version(name) for name in ("trl", "math-verify")}
        else:
            answer = value_of(asked["grader"], asked["case"])
        print(f"=> {json.dumps(answer)}", flush=True)


if __name__ == "__main__":
    main()
