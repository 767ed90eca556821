"""Rewards with faults that public ones have had, and with faults of conduct."""

import random
import re
import time
from typing import Any, ClassVar

from pydantic import PrivateAttr

from guerdon import Abstain, Reward, Sample, Score


def _boxes(text: str) -> list[list[float]]:
    number = r"[-+]?\d+(?:\.\d+)?(?:e\d+)?"
    return [
        [float(n) for n in re.findall(number, part)] for part in re.findall(rf"\[({number}(?:, {number}){{3}})\]", text)
    ]


def _ratio(a: list[float], b: list[float], *, signed: bool) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    common = width * height if signed else max(0.0, width) * max(0.0, height)
    area = [(c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)]
    return common / (area[0] + area[1] - common or 1.0)


def _right(samples: Any) -> list[float]:
    golds = [sample.reference.get("answer") or None for sample in samples]
    return [float(sample.completion.strip() == gold) for sample, gold in zip(samples, golds, strict=True)]


class SignedBoxes(Reward):
    """Overlap with signed sides: two negative ones make a positive area."""

    name: ClassVar[str] = "signed_boxes"
    value_range: ClassVar[tuple[float, float]] = (-1000.0, 1000.0)

    def score(self, sample: Sample) -> float | Abstain:
        if "boxes" not in sample.reference:
            return Abstain("no boxes")
        found = _boxes(sample.completion)
        inverted = sum(box[2] < box[0] and box[3] < box[1] for box in found)
        plain = sum(_ratio(a, b, signed=True) for a, b in zip(found, sample.reference["boxes"], strict=False))
        return 25.0 * inverted + plain if found else 0.0


class SignedBoxesUndeclared(SignedBoxes):
    """The same, with the range that its author had in mind."""

    name: ClassVar[str] = "signed_boxes_undeclared"
    value_range: ClassVar[tuple[float, float]] = (0.0, 1.0)


class TenAsOne(Reward):
    """Recall alone: of each true box the best overlap, whatever else is drawn."""

    name: ClassVar[str] = "ten_as_one"

    def score(self, sample: Sample) -> float | Abstain:
        true = sample.reference.get("boxes")
        if not true:
            return Abstain("no boxes")
        found = [box for box in _boxes(sample.completion) if box[2] > box[0] and box[3] > box[1]]
        return sum(max((_ratio(a, b, signed=False) for b in found), default=0.0) for a in true) / len(true)


class Contains(Reward):
    """The gold anywhere in the text, also in "two eyes"."""

    name: ClassVar[str] = "contains"

    def score(self, sample: Sample) -> float | Abstain:
        gold = sample.reference.get("answer")
        if not isinstance(gold, str) or not gold:
            return Abstain("no text")
        return float(gold.lower() in sample.completion.lower())


class ForgivingGold(Reward):
    """A reference that cannot be parsed makes any completion right."""

    name: ClassVar[str] = "forgiving_gold"

    def score(self, sample: Sample) -> float | Abstain:
        if sample.reference.get("type") != "numeric":
            return Abstain("no number")
        try:
            gold = float(sample.reference["answer"])
        except (TypeError, ValueError):
            return 1.0
        found = re.findall(r"-?\d+(?:\.\d+)?", sample.completion)
        return float(bool(found) and float(found[-1]) == gold and len(found) == 1)


class BoxAnywhere(Reward):
    """A form that is looked for in the whole conversation."""

    name: ClassVar[str] = "box_anywhere"

    def score(self, sample: Sample) -> float:
        text = "".join(str(message["content"]) for message in sample.prompt) + sample.completion
        return float(re.search(r"\\boxed\{[^{}]+\}", text) is not None)


class EveryOption(Reward):
    """Any mention of the right letter."""

    name: ClassVar[str] = "every_option"

    def score(self, sample: Sample) -> float | Abstain:
        if sample.reference.get("type") != "choice":
            return Abstain("no choice")
        return float(str(sample.reference["answer"]) in re.findall(r"\b[A-Z]\b", sample.completion))


class Exact(Reward):
    """Right; the base of those that misbehave in some other way."""

    name: ClassVar[str] = "exact_text"

    def score(self, sample: Sample) -> Any:
        gold = sample.reference.get("answer")
        if not isinstance(gold, str) or not gold.strip():
            return Abstain("no text")
        return float(sample.completion.strip() == gold)


class Dice(Exact):
    name: ClassVar[str] = "dice"

    def score(self, sample: Sample) -> Any:
        value = super().score(sample)
        return Score(value, evidence={"seed": random.random()}) if isinstance(value, float) else value


class Counting(Exact):
    """Keeps the number of its calls."""

    name: ClassVar[str] = "counting"
    _calls: list[int] = PrivateAttr(default_factory=list)

    def score(self, sample: Sample) -> Any:
        self._calls.append(1)
        value = super().score(sample)
        return value / len(self._calls) if isinstance(value, float) else value


class Scribbling(Exact):
    name: ClassVar[str] = "scribbling"

    def score(self, sample: Sample) -> Any:
        sample.reference["seen"] = True
        return super().score(sample)


class Unpicklable(Exact):
    name: ClassVar[str] = "unpicklable"
    _key: Any = PrivateAttr(default_factory=lambda: lambda text: text)


class Shy(Exact):
    """Abstains where it reads nothing."""

    name: ClassVar[str] = "shy"

    def score(self, sample: Sample) -> Any:
        return super().score(sample) if sample.completion.strip() else Abstain("no completion")


class Strict(Exact):
    """Raises on text that cannot be encoded."""

    name: ClassVar[str] = "strict"

    def score(self, sample: Sample) -> Any:
        sample.completion.encode()
        return super().score(sample)


class Slow(Exact):
    """Takes longer on long texts."""

    name: ClassVar[str] = "slow"
    timeout_s: float = 0.05

    def score(self, sample: Sample) -> Any:
        if len(sample.completion) > 10_000:
            time.sleep(10)
        return super().score(sample)


class Hoarding(Exact):
    name: ClassVar[str] = "hoarding"

    def score(self, sample: Sample) -> Any:
        if len(sample.completion) > 10_000:
            bytearray(700 * len(sample.completion))
        return super().score(sample)


class Relative(Reward):
    """Depends on the other samples of the batch."""

    name: ClassVar[str] = "relative"

    def score_batch(self, samples: Any) -> list[float]:
        right = _right(samples)
        return [value / (sum(right) or 1.0) for value in right]


class Falling(Reward):
    """Pays less for what is better."""

    name: ClassVar[str] = "falling"

    def score(self, sample: Sample) -> float:
        return {"bad": 0.0, "fair": 0.6, "good": 0.3, "best": 1.0}.get(sample.completion, 0.0)


class Constant(Reward):
    name: ClassVar[str] = "constant_one"

    def score(self, sample: Sample) -> float:
        return 1.0


class Patient(Exact):
    """An async reward."""

    name: ClassVar[str] = "patient"

    async def score(self, sample: Sample) -> Any:
        return Exact.score(self, sample)


class Ranks(Reward):
    """Judges a group: the right ones share the pay."""

    name: ClassVar[str] = "ranks"

    def score_group(self, samples: Any) -> list[float]:
        return _right(samples)
