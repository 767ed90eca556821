"""Short runs of the campaign of ``python -m benchmarks fuzz``; it runs a million completions."""

import re

import pytest
from benchmarks.fuzz import PLUGINS, campaign
from benchmarks.fuzz_judge import Aim, Tally, aims, judge
from benchmarks.fuzz_mutate import PIECES, Mutator, seeds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guerdon import Reward, Sample, Score

SEEDS = seeds()
AIMS = aims(SEEDS, PLUGINS)
QUIET = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20)), max_size=30).map("".join)


def test_mutants_of_the_cases() -> None:
    tally = campaign(600, SEEDS, seed=20)
    assert tally.faults == []
    assert tally.scored == 600 * len(PLUGINS)


@pytest.mark.parametrize("plugin", PLUGINS)
def test_texts_of_pieces(plugin: str) -> None:
    @QUIET
    @given(text=TEXTS, number=st.integers(0, len(AIMS[plugin]) - 1))
    def check(text: str, number: int) -> None:
        tally = Tally()
        judge(AIMS[plugin][number], text, tally)
        assert tally.faults == []

    check()


class Broken(Reward):
    name = "broken"

    def score(self, sample: Sample) -> Score:
        if "x" in sample.completion:
            raise RuntimeError("x")
        return Score(2.0)


@pytest.mark.parametrize(("text", "kind"), [("x", "exception"), ("y", "range")])
def test_the_judge_notes_what_does_not_hold(text: str, kind: str) -> None:
    tally = Tally()
    judge(Aim("broken", Broken(), SEEDS[0], abstains=False), text, tally)
    assert dict(tally.kinds) == {kind: 1}
    assert re.match(kind, tally.faults[0])


def test_mutants_repeat_with_their_seed() -> None:
    texts = [seed.completion for seed in SEEDS]
    first, second = Mutator(texts, 3), Mutator(texts, 3)
    made = [first.make() for _ in range(200)]
    assert made == [second.make() for _ in range(200)]
    assert len(set(made)) > 150
