"""Right completions: given ones, or built from the reference in the form that the reward wants."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from guerdon.reward import Reward
from guerdon.sample import Sample
from guerdon.scoring.cells import Fault
from guerdon.testing.answers import Answers, Notation, answers_of, notations_of
from guerdon.testing.calling import Scorer
from guerdon.testing.cases import Case, with_completion

THOUGHT = (
    "I look at the picture first and compare what it shows with the question; then I check every part of it "
    "once more before I settle."
)
"""Reasoning that says nothing about any answer."""

SAME = 1e-6
"""Values that differ by no more are the same: coordinates are written with six decimals."""

_SLOTS = (re.compile(r"<answer>(.*?)</answer>", re.DOTALL), re.compile(r"\\boxed\{([^{}]*)\}"))


@dataclass(frozen=True, slots=True)
class Gold:
    """A right completion, cut at its answer."""

    sample: Sample
    before: str
    answer: str
    after: str
    answers: Answers | None
    """What else can be answered, in the same notation."""

    case: Case
    built: bool
    """The completion comes from the reference, not from the user."""

    def with_answer(self, answer: str) -> Sample:
        """Return the sample with another answer in the same place."""
        return with_completion(self.sample, f"{self.before}{answer}{self.after}")

    def with_text(self, text: str) -> Sample:
        """Return the sample with another completion."""
        return with_completion(self.sample, text)

    def wrong(self) -> Iterator[Sample]:
        """Return the sample with each wrong answer that was built from the reference."""
        for answer in self.answers.wrong if self.answers else ():
            yield self.with_answer(answer)

    def given_wrong(self) -> Iterator[Sample]:
        """Return the sample with each completion that the user calls wrong."""
        for text in self.case.wrong:
            yield self.with_text(text)


@dataclass(slots=True)
class Builder:
    """Finds how a reward wants answers to be written, and writes them."""

    scorer: Scorer
    around: list[tuple[str, str]] = field(init=False)
    """What may stand before and after an answer."""

    known: dict[str, tuple[tuple[str, str], str]] = field(default_factory=dict)
    """What served for a type of reference: what stands around the answer, and its notation."""

    def __post_init__(self) -> None:
        self.around = _around(self.scorer.reward)

    def gold(self, item: Sample | Case) -> Gold:
        """Return the right completion of a case; one that cannot be built is empty."""
        case = Case.of(item)
        if case.sample.completion and case.sample.tokens is None:  # as for all that is made from it
            case = replace(case, sample=with_completion(case.sample, case.sample.completion))
        return self._given(case) if case.sample.completion.strip() else self._build(case)

    def _given(self, case: Case) -> Gold:
        """Cut a given completion, and find the notation in which the reward takes it as it takes the right answer."""
        gold = _cut(case)
        notations = notations_of(case.sample)
        if len(notations) < 2 or (gold.answers and gold.answers.right == gold.answer.strip()):
            return gold
        earned = self.scorer.values([case.sample])[0]
        for _, make in notations:
            answers = make()
            value = self.scorer.values([gold.with_answer(answers.right)])[0]
            if earned is not None and value is not None and value >= earned - SAME:
                return replace(gold, answers=answers)
        return replace(gold, answers=None)

    def _build(self, case: Case) -> Gold:
        """Try every form and notation, that which served before first, until one earns the maximum."""
        best: Gold | None = None
        highest = float("-inf")
        kind = str(case.sample.reference.get("type"))
        for around, answers in self._candidates(kind, notations_of(case.sample)):
            sample = with_completion(case.sample, f"{around[0]}{answers.right}{around[1]}")
            cell = self.scorer.cells([sample])[0]
            value = self.scorer.value(cell)
            if best is None or (value is not None and value > highest):
                best = Gold(sample, around[0], answers.right, around[1], answers, case, built=True)
                highest = highest if value is None else value
            if value is not None and self.scorer.reaches(value):
                self.known[kind] = around, answers.notation
                break
            if isinstance(cell, Fault) and cell.kind == "timeout":  # eighty more would take as long each
                break
        return best or Gold(with_completion(case.sample, ""), "", "", "", None, case, built=True)

    def _candidates(self, kind: str, notations: Sequence[Notation]) -> Iterator[tuple[tuple[str, str], Answers]]:
        served = self.known.get(kind)
        every = [(around, notation) for notation in notations for around in self.around]
        for around, (_, make) in sorted(every, key=lambda pair: (pair[0], pair[1][0]) != served):
            yield around, make()


def _around(reward: Reward) -> list[tuple[str, str]]:
    """Return what may stand before and after an answer, the form of the reward's own fields first."""
    fields = reward.model_dump()
    found: list[tuple[str, str]] = []
    tags = fields.get("tags")
    if isinstance(tags, list | tuple) and tags and all(isinstance(tag, str) for tag in tags):
        found.append(_blocks(tags))
    if isinstance(tag := fields.get("tag"), str):
        found.append((f"<think>{THOUGHT}</think>\n<{tag}>", f"</{tag}>"))
    if isinstance(marker := fields.get("marker"), str):
        found.append((f"{marker} ", ""))
    common = [
        _blocks(("think", "answer")),
        ("", ""),
        (f"<think>{THOUGHT}</think>\n", ""),
        ("\\boxed{", "}"),
        ('{"answer": "', '"}'),
    ]
    return [*found, *(form for form in common if form not in found)]


def _blocks(tags: Sequence[str]) -> tuple[str, str]:
    """Return blocks around an answer in the one named so, else in the last."""
    place = tags.index("answer") if "answer" in tags else len(tags) - 1
    filled = [f"<{tag}>{THOUGHT}</{tag}>" for tag in tags]
    before = "\n".join([*filled[:place], f"<{tags[place]}>"])
    return before, "\n".join([f"</{tags[place]}>", *filled[place + 1 :]])


def _cut(case: Case) -> Gold:
    """Cut a given completion at its answer: the last block, the last box, or all of it.

    An answer in a sentence is not cut out, as the rest of the sentence may say it too.
    """
    text = case.sample.completion
    answers = answers_of(case.sample)
    for start, end in _places(text, answers):
        inner = text[start:end]
        notation = next(
            (item for item in answers if item.right.strip() == inner.strip()), answers[0] if answers else None
        )
        return Gold(case.sample, text[:start], inner, text[end:], notation, case, built=False)
    return Gold(case.sample, "", text, "", answers[0] if answers else None, case, built=False)


def _places(text: str, answers: Sequence[Answers]) -> Iterator[tuple[int, int]]:
    for slot in _SLOTS:
        for match in list(slot.finditer(text))[-1:]:
            yield match.span(1)
    for item in answers:
        if item.right and item.right == text.strip():
            start = text.index(item.right)
            yield start, start + len(item.right)


def broken(reference: Mapping[str, object]) -> Iterator[tuple[str, dict[str, object]]]:
    """Return the reference with golds that confirm no answer, and what is wrong with them."""
    bad: dict[str, tuple[object, ...]] = {
        "choice": (None, "", "no such option"),
        "exact": (None, "", float("nan")),
        "numeric": (None, "", "unknown", float("nan"), float("inf")),
        "math": (None, "", "\\frac{1}{", float("nan")),
        "fields": (None, {}, {"total": None}),
        "count": (None, "", "many", float("nan")),
    }
    for answer in bad.get(str(reference.get("type")), (None, "", float("nan")) if "answer" in reference else ()):
        yield f"answer {answer!r}", {**reference, "answer": answer}
    if "boxes" in reference and reference.get("type") in ("boxes", "point_in_box"):
        yield "boxes [[nan, nan, nan, nan]]", {**reference, "boxes": [[float("nan")] * 4]}
