"""What must hold of every verdict, whatever the completion."""

import json
import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.fuzz_mutate import Seed
from guerdon import Abstain, LazyImage, Reward, Sample, Score, load_plugins
from guerdon_plugins.parsing.reasoning import outside_reasoning

BAD_GOLDS: dict[str, tuple[dict[str, Any], ...]] = {
    "correctness": (
        {"type": "choice", "options": ["A", "B"], "answer": "C"},
        {"type": "choice", "options": ["A", "B"], "answer": ""},
        {"type": "exact", "answer": ""},
        {"type": "numeric", "answer": "NaN"},
        {"type": "numeric", "answer": "between 3 and 4"},
        {"type": "fields", "answer": {"a": None}},
    ),
    "grounding": (
        {"type": "boxes", "boxes": [[5, 5, 1, 1]], "ref_space": "abs"},
        {"type": "point_in_box", "boxes": [[0, 0, float("nan"), 1]], "ref_space": "abs"},
        {"type": "count", "answer": "many"},
        {"type": "ocr", "texts": []},
    ),
}
"""References that confirm no answer."""

SLOW_S = 1.0
"""Seconds of the processor that one call may take."""


@dataclass(frozen=True, slots=True)
class Aim:
    """A reward with what it judges by."""

    plugin: str
    reward: Reward
    seed: Seed
    abstains: bool
    """It abstains here, whatever the completion says."""

    images: tuple[LazyImage, ...] = ()

    def sample(self, completion: str) -> Sample:
        """Return the sample to score."""
        seed = self.seed
        return Sample("fuzz/0", completion, reference=seed.reference, images=self.images, metadata=seed.metadata)


@dataclass(slots=True)
class Tally:
    """What a campaign has seen."""

    scored: int = 0
    faults: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, tuple[float, str]] = field(default_factory=dict)
    """By plugin: seconds, and the completion."""

    def fault(self, kind: str, aim: Aim, completion: str, detail: object) -> None:
        """Note a fault; the first ones with all that is needed to repeat them."""
        self.kinds[kind] += 1
        if len(self.faults) < 20:
            self.faults.append(f"{kind}: {aim.plugin} {dict(aim.seed.config)} {dict(aim.seed.reference)} "
                               f"{completion[:2000]!r}: {detail}")  # fmt: skip


def aims(found: Sequence[Seed], plugins: Sequence[str]) -> dict[str, list[Aim]]:
    """Return every configuration and reference of the cases, and the bad references, by plugin."""
    known = load_plugins()
    made: dict[str, dict[str, Aim]] = {name: {} for name in plugins}
    for seed in found:
        if seed.plugin not in made or seed.reference.get("type") == "math":
            continue
        try:
            reward = known.entry(seed.plugin).reward.model_validate(seed.config)
        except ValueError:
            continue  # a case of a configuration that is refused
        key = json.dumps([seed.config, seed.reference, seed.metadata], sort_keys=True, default=str)
        if key not in made[seed.plugin] and (aim := _aim(seed, reward)) is not None:
            made[seed.plugin][key] = aim
    for plugin, references in BAD_GOLDS.items():
        config = {"pred_space": "abs"} if plugin == "grounding" else {}
        reward = known.entry(plugin).reward.model_validate(config)
        reward.prepare()
        for index, reference in enumerate(references):
            bad = Seed(plugin, config, reference, {"image_width": 100, "image_height": 100}, "")
            if plugin in made:
                made[plugin][f"bad {index}"] = Aim(plugin, reward, bad, abstains=True)
    return {name: list(found.values()) for name, found in made.items()}


def _aim(seed: Seed, reward: Reward) -> Aim | None:
    try:
        verdict = reward.score(Sample("fuzz/0", "x", reference=seed.reference, metadata=seed.metadata))
    except ValueError:
        return None  # the data themselves are refused
    return Aim(seed.plugin, reward, seed, isinstance(verdict, Abstain))


def judge(aim: Aim, completion: str, tally: Tally) -> object:
    """Score a completion and note what does not hold. Returns what tells one behaviour from another."""
    tally.scored += 1
    begin = time.process_time()
    try:
        verdict: Any = aim.reward.score(aim.sample(completion))
    except Exception as error:  # noqa: BLE001  # any exception is a finding
        tally.fault("exception", aim, completion, repr(error)[:500])
        return type(error)
    took = time.process_time() - begin
    if took > SLOW_S:  # a machine's hiccup is no property of the input: what is slow is slow again
        begin = time.process_time()
        aim.reward.score(aim.sample(completion))
        took = min(took, time.process_time() - begin)
    if took > tally.slowest.get(aim.plugin, (0.0, ""))[0]:
        tally.slowest[aim.plugin] = took, completion
    if took > SLOW_S:
        tally.fault("slow", aim, completion, f"{took:.2f} s")
    if isinstance(verdict, Abstain) or aim.abstains:
        if not (isinstance(verdict, Abstain) and aim.abstains):
            tally.fault("unscorable", aim, completion, verdict)
        return verdict
    _check(aim, completion, verdict, tally)
    return verdict.reason[:20] if isinstance(verdict, Score) else verdict


def _check(aim: Aim, completion: str, verdict: Any, tally: Tally) -> None:
    low, high = aim.reward.range()
    if not isinstance(verdict, Score) or not math.isfinite(verdict.value) or not low <= verdict.value <= high:
        tally.fault("range", aim, completion, verdict)
        return
    try:
        json.dumps([dict(verdict.evidence), dict(verdict.metrics), verdict.reason], allow_nan=False)
    except (TypeError, ValueError) as error:
        tally.fault("evidence", aim, completion, error)
    if aim.plugin not in ("correctness", "grounding") or verdict.value <= 0:
        return
    if getattr(aim.reward, "read_from", "answer") == "answer" and outside_reasoning(completion).cut_off:
        tally.fault("unscorable", aim, completion, f"{verdict.value} for a text without an answer")
    if not completion.strip():
        tally.fault("unscorable", aim, completion, f"{verdict.value} for nothing")
