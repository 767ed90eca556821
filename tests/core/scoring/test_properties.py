"""Properties of the engine over any mix of groups and statuses."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guerdon import Group, Record, Sample, ScoredGroup, Status
from guerdon.scoring.engine import Engine

VALUES = {"float": 0.5, "integer": 1.0, "score": 0.5}
FAULTS = ("raise", "none", "nan", "os._exit", "sys.exit")

texts = st.sampled_from([*VALUES] * 4 + ["abstain"] * 3 + [*FAULTS])
groups_of_texts = st.lists(st.lists(texts, max_size=5), max_size=2)
QUIET = settings(
    max_examples=10,  # a fault costs a process
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    derandomize=True,
)


@pytest.fixture(scope="module")
def engine(plugins, make) -> Iterator[Engine]:
    rewards = {
        "alone": make("obedient"),
        "async": make("obedient_async"),
        "batch": make("obedient_batch"),
        "length": make("length_of_text", isolation="inline"),
    }
    with Engine(rewards, plugins=plugins) as made:
        yield made


def groups_from(all_texts: Sequence[Sequence[str]]) -> list[Group]:
    return [
        Group(f"g{n}", [Sample(f"g{n}/{i}", text, group_id=f"g{n}", index=i) for i, text in enumerate(texts)])
        for n, texts in enumerate(all_texts)
    ]


def gist(record: Record) -> tuple[object, ...]:
    return record.component, record.status, record.value, record.cause, record.masks


def expected(texts: Sequence[str]) -> list[tuple[object, ...]]:
    """What an obedient component must come to."""
    some_scored = any(text in VALUES for text in texts)
    one_abstains = "abstain" in texts
    gists: list[tuple[object, ...]] = []
    for text in texts:
        if text in VALUES:
            gists.append((Status.OK, VALUES[text], "", False))
        elif one_abstains and not some_scored:
            gists.append((Status.ABSTAIN, None, "", False))
        else:
            gists.append((Status.ERROR, 0.0, "completion", False))
    return gists


def check(scored: ScoredGroup, texts: Sequence[str]) -> None:
    assert len(scored.records) == len(texts)
    for sample, row in zip(scored.group.samples, scored.records, strict=True):
        assert [r.component for r in row] == ["alone", "async", "batch", "length"]
        assert {r.sample_id for r in row} == {sample.id}
        assert row[3].value == len(sample.completion)
    for place in range(3):
        assert [gist(row[place])[1:] for row in scored.records] == expected(texts)
    assert scored.values() == [tuple(r.value for r in row) for row in scored.records]


@QUIET
@given(groups_of_texts)
def test_each_sample_and_component_has_its_record_whatever_happens(engine, all_texts):
    for scored, texts in zip(engine.score(groups_from(all_texts)), all_texts, strict=True):
        check(scored, texts)


@QUIET
@given(groups_of_texts)
def test_alone_as_together(engine, all_texts):
    groups = groups_from(all_texts)
    together = engine.score(groups)
    alone = [engine.submit(group).result() for group in groups]
    assert [[list(map(gist, row)) for row in s.records] for s in together] == [
        [list(map(gist, row)) for row in s.records] for s in alone
    ]


@QUIET
@given(st.lists(texts, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_samples_changes_nothing(engine, texts, random):
    order = list(range(len(texts)))
    random.shuffle(order)
    one, other = engine.score(groups_from([texts, [texts[i] for i in order]]))
    assert [list(map(gist, one.records[i])) for i in order] == [list(map(gist, row)) for row in other.records]


@settings(QUIET, max_examples=50)
@given(st.lists(texts, max_size=6), st.permutations(["alone", "mask", "constant", "length"]))
def test_the_order_of_components_changes_nothing(make, texts, order):
    texts = [text for text in texts if text != "os._exit"]  # these run in this process
    rewards = {
        "alone": make("obedient", isolation="inline"),
        "mask": make("obedient", isolation="inline", missing="mask_sample"),
        "constant": make("obedient", isolation="inline", missing={"constant": -1}),
        "length": make("length_of_text", isolation="inline"),
    }
    results = []
    for names in (list(rewards), order):
        with Engine({name: rewards[name] for name in names}) as engine:
            [scored] = engine.score(groups_from([texts]))
        assert all([r.component for r in row] == names for row in scored.records)
        results.append([sorted(map(gist, row)) for row in scored.records])
    assert results[0] == results[1]


@QUIET
@given(st.lists(st.sampled_from(["float", "integer", *FAULTS]), min_size=2, max_size=4))
def test_breaking_the_grader_never_beats_a_wrong_answer(engine, texts):
    """A wrong answer is worth at least the minimum, and so is a completion that breaks the grader: no more."""
    [scored] = engine.score(groups_from([texts]))
    for text, row in zip(texts, scored.records, strict=True):
        if text in FAULTS:
            assert [r.value for r in row[:3]] == [0.0, 0.0, 0.0]
