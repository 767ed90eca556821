"""Shared by the tests of correctness: score one completion against one reference."""

from typing import Any

from guerdon import Abstain, Sample, Score
from guerdon_plugins.correctness import Correctness


def judge(completion: str, reference: dict[str, Any], **config: Any) -> Score | Abstain:
    return Correctness(**config).score(Sample("g/0", completion, reference=reference))


def value(completion: str, reference: dict[str, Any], **config: Any) -> float:
    score = judge(completion, reference, **config)
    assert isinstance(score, Score), score
    assert 0 <= score.value <= 1
    return score.value


def reason(reference: dict[str, Any], completion: str = "x", **config: Any) -> str:
    """The reason of an abstention."""
    verdict = judge(completion, reference, **config)
    assert isinstance(verdict, Abstain), verdict
    return verdict.reason
