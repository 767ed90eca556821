"""Checking a reward: properties that hold for all, and what attacks earn."""

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from guerdon.errors import DataError
from guerdon.reward import Reward
from guerdon.sample import Message, Sample
from guerdon.scoring.calls import method_of
from guerdon.scoring.cells import Cell, Fault
from guerdon.testing import laws
from guerdon.testing.attacks import BUILT_WRONG, OTHER_PROMPT, PLACEHOLDER, Attack, Judges, attacks
from guerdon.testing.calling import Scorer
from guerdon.testing.cases import Case
from guerdon.testing.golds import Builder, Gold, broken
from guerdon.testing.report import Finding, Payout, Report

MOST_SAMPLES = 64
"""Samples that are attacked; of more, the first."""

REPEATED = 40
"""Completions on which determinism, order and pickling are checked."""

MOST_LONG = 8
"""Samples that are also attacked with very long completions."""

STATED = 1e-4
"""A stated value is met if what is earned differs by no more."""

OTHERS = 3
"""Other samples' answers that are tried on a sample."""


@dataclass(slots=True)
class _Seen:
    """What was scored."""

    golds: list[Gold]
    gold_cells: list[Cell]
    tried: list[tuple[Attack, int, list[Cell]]] = field(default_factory=list)
    """Each attack with its gold's place."""

    def scored(self, scorer: Scorer) -> list[tuple[int, float]]:
        """Return the places of golds with a value, and the values."""
        values = [None if isinstance(cell, Fault) else scorer.value(cell) for cell in self.gold_cells]
        return [(place, value) for place, value in enumerate(values) if value is not None]

    def prompt(self, sample: Sample) -> Sequence[Message]:
        """Return the prompt of the right completion; an attack may add to it."""
        return next(gold.sample.prompt for gold in self.golds if gold.sample.id == sample.id)

    def named(self) -> list[tuple[str, Sample, Cell]]:
        """Return every completion with what it is called."""
        rows = [
            ("the right completion", gold.sample, cell) for gold, cell in zip(self.golds, self.gold_cells, strict=True)
        ]
        for attack, _, cells in self.tried:
            rows += [(attack.name, sample, cell) for sample, cell in zip(attack.samples, cells, strict=True)]
        return rows


def check_reward(reward: Reward, samples: Iterable[Sample | Case], judges: Judges | None = None) -> Report:
    """Check a reward on samples and on attacks that are made from them.

    Args:
        reward: configured as it is to be used.
        samples: with right completions, or references from which one can be built; see `Case`.
        judges: what the reward tells apart; None finds out.

    Raises:
        DataError: there are no samples, or two with one id.
    """
    cases = [Case.of(item) for item in samples][:MOST_SAMPLES]
    if not cases or len({case.sample.id for case in cases}) < len(cases):
        raise DataError("check_reward needs samples, each with an id of its own")
    scorer = Scorer(reward)
    untouched = laws.Untouched([case.sample for case in cases])
    builder = Builder(scorer)
    golds = [builder.gold(case) for case in cases]
    seen = _Seen(golds, [scorer.cells([gold.sample])[0] for gold in golds])
    _attack(scorer, seen)
    kind = judges or _judges(scorer, seen)
    findings = [*_findings(scorer, seen, kind), untouched.finding()]
    scored = seen.scored(scorer)
    payouts = _payouts(scorer, seen, kind)
    return Report(_name(reward), kind, len(scored), len(golds) - len(scored), findings, payouts)


def _name(reward: Reward) -> str:
    return getattr(type(reward), "name", type(reward).__name__)


def _attack(scorer: Scorer, seen: _Seen) -> None:
    whole = method_of(scorer.reward) == "score_group"
    for place, gold in enumerate(seen.golds):
        others = [other for other in _turned(seen.golds, place) if _differ(other, gold)]
        for attack in attacks(gold, others[:OTHERS], sizes=place < MOST_LONG):
            if whole:  # a group's samples are judged against each other, so the right one is among them
                cells = [scorer.cells([gold.sample, sample])[1] for sample in attack.samples]
            else:
                cells = scorer.cells(attack.samples)
            seen.tried.append((attack, place, cells))


def _differ(a: Gold, b: Gold) -> bool:
    """Tell whether the right completion of one prompt is wrong for the other."""
    if not a.sample.completion or a.answer.strip().casefold() == b.answer.strip().casefold():
        return False
    mine, other = a.sample.reference, b.sample.reference
    return mine != other and ("answer" not in mine or mine["answer"] != other.get("answer"))


def _turned(golds: Sequence[Gold], place: int) -> list[Gold]:
    return [*golds[place + 1 :], *golds[:place]]


def _judges(scorer: Scorer, seen: _Seen) -> Judges:
    """Find out what the reward tells apart: answers, if wrong ones in the right form often earn less.

    Often, not always: a reward of answers may have a fault that pays most of the wrong ones.
    """
    if scorer.high <= 0:
        return "harm"
    right = dict(seen.scored(scorer))
    rows = [(attack.name, value < right[place]) for attack, place, value in _earned(scorer, seen) if place in right]
    by_kind = ([lower for name, lower in rows if name == kind] for kind in (BUILT_WRONG, OTHER_PROMPT, PLACEHOLDER))
    wrong = next((found for found in by_kind if found), [])
    if 5 * sum(wrong) > len(wrong):
        return "answer"
    return "form" if any(lower for _, lower in rows) else "nothing"


def _earned(scorer: Scorer, seen: _Seen) -> list[tuple[Attack, int, float]]:
    """Return each attack with what it earns: the least of its completions."""
    rows = []
    for attack, place, cells in seen.tried:
        values = [value for cell in cells if (value := scorer.value(cell)) is not None]
        if len(values) == len(cells):
            rows.append((attack, place, min(values)))
    return rows


def _payouts(scorer: Scorer, seen: _Seen, judges: Judges) -> list[Payout]:
    """Return for each attack the case in which it earns most, measured by what the right completion earns."""
    right = dict(seen.scored(scorer))
    worst: dict[str, Payout] = {}
    for attack, place, value in _earned(scorer, seen):
        if place not in right:
            continue
        sample = attack.samples[0]
        counts = judges in attack.against and right[place] > scorer.low
        payout = Payout(attack.name, value, right[place], counts, sample.id, sample.completion[:200])
        best = worst.get(attack.name)
        if best is None or (payout.counts, value - right[place]) > (best.counts, best.pays - best.right):
            worst[attack.name] = payout
    return sorted(worst.values(), key=lambda payout: (payout.ok, -payout.pays))


def _findings(scorer: Scorer, seen: _Seen, judges: Judges) -> Iterable[Finding]:
    golds = list(zip((gold.sample for gold in seen.golds), seen.gold_cells, strict=True))
    yield from _paid(scorer, seen)
    if judges == "nothing":
        detail = "every completion earns the same, right or wrong; does the reward read the completion?"
        yield Finding("tells something apart", ok=False, detail=detail)
    yield from laws.faults(scorer, seen.named())
    yield laws.abstentions(golds, [row for row in seen.named() if row[1].prompt == seen.prompt(row[1])])
    some = [sample for sample, _ in golds] + [sample for attack, _, _ in seen.tried for sample in attack.samples]
    short = [sample for sample in some if len(sample.completion) < 10_000]
    yield from laws.repeats(scorer, short[:REPEATED])
    if judges == "answer":
        yield _bad_golds(scorer, seen)
    yield from _monotone(scorer, seen, built=judges == "answer")
    yield from _stated(scorer, seen)
    long = next((attack.samples[0] for attack, _, _ in seen.tried if attack.name == "very long"), None)
    if long is not None:
        yield laws.memory(scorer, long)


def _paid(scorer: Scorer, seen: _Seen) -> Iterable[Finding]:
    """Check that right completions are scored, and earn more than the least."""
    scored = seen.scored(scorer)
    if not scored:
        said = next((cell.reason for cell in seen.gold_cells if not isinstance(cell, float)), "")
        detail = f"no sample was scored; on the first: {said}. Give --samples that the reward applies to"
        yield Finding("right completions", ok=False, detail=detail)
        return
    poor = [(place, value) for place, value in scored if value <= scorer.low]
    if poor:
        place, value = poor[0]
        gold = seen.golds[place]
        detail = (
            f"{len(poor)} of {len(scored)} earn the least, {value:g}; sample {gold.sample.id}: "
            f"{gold.sample.completion[:120]!r}. Is it right? Give its `completion` in --samples"
        )
        yield Finding("right completions", ok=False, detail=detail)
        return
    low, high = min(value for _, value in scored), max(value for _, value in scored)
    yield Finding("right completions", ok=True, detail=f"{len(scored)} earn {low:g} to {high:g} of {scorer.high:g}")


def _bad_golds(scorer: Scorer, seen: _Seen) -> Finding:
    """Check that a reference that confirms nothing never pays."""
    tried = 0
    for place, _ in seen.scored(scorer):
        gold = seen.golds[place]
        for what, reference in broken(gold.sample.reference):
            texts = [gold.sample, *gold.wrong(), *gold.given_wrong(), gold.with_text(""), gold.with_answer("")]
            samples = [dataclasses.replace(sample, reference=reference) for sample in texts]
            for sample in samples:
                value = scorer.values([sample])[0]
                tried += 1
                if value is not None and value > scorer.low:
                    detail = f"sample {sample.id} with {what} pays {value:g} for {sample.completion[:80]!r}; abstain"
                    return Finding("references that confirm nothing", ok=False, detail=detail)
    return Finding("references that confirm nothing", ok=True, detail=f"{tried} completions, none is paid")


def _monotone(scorer: Scorer, seen: _Seen, *, built: bool) -> Iterable[Finding]:
    """Check that values do not fall from the worst answer to the best, where an order is known."""
    rows = 0
    for place, right in seen.scored(scorer):
        gold = seen.golds[place]
        whole = built and scorer.reaches(right)  # else the answers are not written as the reward reads them
        series = [gold.with_text(text) for text in gold.case.order] or [
            gold.with_answer(text) for text in (gold.answers.order if gold.answers and whole else ())
        ]
        values = [value for value in scorer.values(series) if value is not None] if series else []
        rows += bool(values)
        if values != sorted(values):
            detail = f"sample {gold.sample.id}: from the worst answer to the best {values}"
            yield Finding("monotone", ok=False, detail=detail)
            return
    if rows:
        yield Finding("monotone", ok=True, detail=f"{rows} samples with answers in order")


def _stated(scorer: Scorer, seen: _Seen) -> Iterable[Finding]:
    """Check that completions earn what the samples say."""
    rows = [(gold.with_text(text), value) for gold in seen.golds for text, value in gold.case.earns.items()]
    for sample, value in rows:
        earned = scorer.values([sample])[0]
        if earned is None or abs(earned - value) > STATED:
            shown = "an abstention" if earned is None else f"{earned:g}"
            detail = f"sample {sample.id}: {sample.completion[:80]!r} earns {shown}; the samples say {value:g}"
            yield Finding("stated values", ok=False, detail=detail)
            return
    if rows:
        yield Finding("stated values", ok=True, detail=f"{len(rows)} completions")
