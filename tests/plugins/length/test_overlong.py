import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Sample
from guerdon_plugins.length import Length


def value(tokens, completion="x", **config):
    return Length(**config).score(Sample("s", completion, token_count=tokens)).value


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [(0, 0), (1, 0), (80, 0), (81, -0.05), (90, -0.5), (99, -0.95), (100, -1), (101, -1), (1000, -1), (10**9, -1)],
)
def test_soft_overlong_follows_dapo(tokens, expected):
    assert value(tokens, max_len=100, cache_len=20) == pytest.approx(expected)
    assert value(tokens, component="soft_overlong", max_len=100, cache_len=20, unit="tokens") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("max_len", "cache_len", "tokens", "expected"),
    [
        (4096, 512, 3584, 0),
        (4096, 512, 3840, -0.5),
        (4096, 512, 4096, -1),
        (20480, 4096, 16384, 0),
        (10, 10, 5, -0.5),
        (10, 0, 10, 0),
        (10, 0, 11, -1),
        (1, 1, 0, 0),
        (1, 1, 1, -1),
        (1, 0, 1, 0),
    ],
)
def test_other_budgets(max_len, cache_len, tokens, expected):
    assert value(tokens, max_len=max_len, cache_len=cache_len) == pytest.approx(expected)


def test_the_slope_is_a_fifth_of_the_budget_unless_configured():
    assert value(16384, max_len=20480) == 0.0
    assert value(18432, max_len=20480) == pytest.approx(-0.5)
    assert value(4, max_len=4) == 0.0


def test_the_worst_penalty_can_be_chosen():
    reward = Length(max_len=100, cache_len=20, max_penalty=-0.2)
    assert reward.range() == (-0.2, 0.0)
    assert reward.score(Sample("s", "x", token_count=90)).value == pytest.approx(-0.1)
    assert str(Length(max_len=100, max_penalty=0).score(Sample("s", "x", token_count=900)).value) == "0.0"


def test_says_how_long_and_from_where_on():
    found = Length(max_len=100, cache_len=20).score(Sample("s", "x", token_count=90))
    assert (found.reason, found.evidence) == ("90 tokens; the penalty begins beyond 80", {"length": 90})


@pytest.mark.parametrize(
    ("tokens", "expected"), [(0, -1), (10, -1), (20, -0.5), (30, 0), (50, 0), (60, -0.5), (70, -1), (500, -1)]
)
def test_target_presses_into_a_range(tokens, expected):
    assert value(tokens, component="target", min_len=30, max_len=50, cache_len=20) == pytest.approx(expected)


def test_target_without_slope_is_a_step():
    assert [value(n, component="target", min_len=2, max_len=3, cache_len=0) for n in (1, 2, 3, 4)] == [-1, 0, 0, -1]


@pytest.mark.parametrize(
    ("tokens", "expected"), [(0, 0), (25, -0.1464466), (50, -0.5), (75, -0.8535534), (100, -1), (900, -1)]
)
def test_cosine_presses_more_the_longer_a_completion_is(tokens, expected):
    assert value(tokens, component="cosine", max_len=100) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("unit", "completion", "length"),
    [
        ("words", "The cat sat.", 4),
        ("words", "灰色的猫", 4),
        ("words", "", 0),
        ("words", "\u200b \u3164", 0),
        ("characters", "The cat sat.", 10),
        ("characters", "灰色的猫", 4),
        ("characters", "a\u200b \n", 1),
    ],
)
def test_other_units_count_the_text(unit, completion, length):
    found = Length(max_len=100, unit=unit).score(Sample("s", completion, token_count=7))
    assert found.evidence == {"length": length}


@given(
    st.integers(1, 10**6),
    st.integers(0, 10**6),
    st.integers(0, 10**7),
    st.sampled_from(["soft_overlong", "target", "cosine"]),
)
def test_never_a_bonus_and_never_below_the_worst(max_len, cache_len, tokens, component):
    config = {"component": component, "max_len": max_len}
    if component != "cosine":
        config["cache_len"] = min(cache_len, max_len)
    if component == "target":
        config["min_len"] = max_len // 2
    assert -1.0 <= value(tokens, **config) <= 0.0


@given(st.integers(1, 1000), st.integers(0, 3000), st.integers(0, 3000))
def test_a_longer_completion_is_never_punished_less(max_len, a, b):
    short, long = sorted((a, b))
    for component in ("soft_overlong", "cosine"):
        assert value(short, component=component, max_len=max_len) >= value(long, component=component, max_len=max_len)
