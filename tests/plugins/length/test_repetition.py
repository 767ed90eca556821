import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Sample
from guerdon_plugins.length import Length
from guerdon_plugins.length.ngrams import count_ngrams


def score(completion="x", ids=None, ngram=2, **config):
    metadata = {} if ids is None else {"token_ids": ids}
    return Length(component="repetition", ngram=ngram, **config).score(Sample("s", completion, metadata=metadata))


def value(*args, **kwargs):
    return score(*args, **kwargs).value


@pytest.mark.parametrize(
    ("ids", "ngram", "expected"),
    [
        ([1, 2, 1, 2, 1, 2], 2, -0.6),
        ([1, 2, 3, 4], 2, 0),
        ([1, 1, 1, 1], 1, -0.75),
        ([1, 1, 1, 1], 2, -2 / 3),
        ([1, 1, 1, 1], 4, 0),
        ([9642, 13], 4, 0),
        ([9642, 13], 3, 0),
        ([9642, 13], 2, 0),
        ([7], 1, 0),
        ([], 3, 0),
        ([1, 2, 3, 1, 2, 3, 1, 2, 3], 3, -4 / 7),
        ([0] * 100, 3, -97 / 98),
        ([151643, 151644, 151643, 151644], 2, -1 / 3),
    ],
)
def test_follows_the_formula_on_token_ids(ids, ngram, expected):
    assert value(ids=ids, ngram=ngram) == pytest.approx(expected)
    assert value(ids=ids, ngram=ngram, max_penalty=-0.5) == pytest.approx(expected / 2)


@pytest.mark.parametrize(
    ("text", "ngram", "expected"),
    [
        ("", 3, 0),
        ("Yes.", 4, 0),
        ("a b a b a b", 2, -0.6),
        ("A b a B A b", 2, -0.6),
        ("ａ b a ｂ a b", 2, -0.6),
        ("a\u200bb\u200ba\u200bb\u200ba\u200bb", 2, -0.6),
        ("abababab", 2, 0),
        ("再看再看再看", 2, -0.6),
        ("再 看 再 看 再 看", 2, -0.6),
        ("ねこねこねこ", 2, -0.6),
        ("กขกขกข", 2, -0.6),
        ("ab, ab, ab", 2, -0.5),
        ("!?!?!?", 2, -0.6),
        ("😀😀😀😀", 1, -0.75),
        ("\n\n\n\n", 1, 0),
    ],
)
def test_without_ids_words_characters_and_signs_count(text, ngram, expected):
    assert value(text, ngram=ngram) == pytest.approx(expected)


def test_loops_cost_more_than_text_in_every_script():
    for text, loop in (
        ("图中左侧有一只灰色的猫，右侧的窗台上放着两盆绿色植物。", "再看看" * 14),
        ("The chart compares rainfall in four cities, and Bergen has by far the tallest bar.", "really " * 80),
        ("写真の左側に灰色の猫がいて、右側の窓辺に緑の植物が二つある。", "もう一度" * 12),
        ("На графике сравниваются осадки в четырёх городах.", "очень " * 40),
        ("그림 왼쪽에 회색 고양이가 있고 오른쪽에 화분이 두 개 있다.", "다시 보자 " * 20),
    ):
        assert value(text, ngram=3) > -0.1
        assert value(loop, ngram=3) < -0.8


def test_a_list_of_different_boxes_is_no_loop():
    box = '{"bbox_2d":[%d,%d,%d,%d],"label":"%s"}'
    boxes = ",".join(box % four for four in ((1, 2, 30, 40, "cup"), (50, 8, 90, 60, "plate"), (12, 70, 44, 99, "fork")))
    loop = (box % (1, 2, 30, 40, "cup") + ",") * 12
    assert value(f"[{boxes}]", ngram=4) > value(loop, ngram=4)


def test_ids_decide_where_they_are_known_unless_words_are_asked_for():
    assert value("a a a a", [1, 2, 3, 4]) == 0.0
    assert value("a a a a", [1, 2, 3, 4], unit="words") < 0.0


def test_padding_and_text_after_the_end_repeat_nothing():
    metadata = {"token_ids": [5, 6, 7, 2, 0, 0, 0, 0, 0], "eos_token_id": 2, "pad_token_id": 0}
    assert Length(component="repetition", ngram=2).score(Sample("s", "x", metadata=metadata)).value == 0.0


def test_shows_what_repeats():
    text = "So it is. round and round and round and round"
    found = score(text, ngram=2)
    assert text[slice(*found.evidence["findings"][0]["span"])] in ("round and", "and round")
    assert found.evidence["most_repeated"]["times"] == 3
    assert found.reason == "6 of 10 word 2-grams are distinct"
    found = score(ids=[9, 1, 2, 1, 2, 1, 2])
    assert found.evidence["most_repeated"] == {"times": 3, "at": [1, 3], "token_ids": [1, 2]}
    assert "most_repeated" not in score(ids=[1, 2, 3]).evidence


@given(st.lists(st.integers(0, 3), max_size=40) | st.lists(st.integers(0, 2**40), max_size=20), st.integers(1, 9))
def test_counts_as_a_set_of_tuples_does(ids, size):
    tuples = [tuple(ids[i : i + size]) for i in range(len(ids) - size + 1)]
    found = count_ngrams(np.array(ids, np.int64), size)
    assert (found.total, found.distinct) == (len(tuples), len(set(tuples)))
    if tuples:
        most = tuple(ids[found.first : found.first + size])
        assert tuples.count(most) == found.most == max(map(tuples.count, tuples))
        assert tuples.index(most) == found.first


@pytest.mark.parametrize("size", [1, 2, 3, 7, 63, 64, 1000])
def test_long_ngrams_over_many_kinds_do_not_overflow(size):
    ids = np.random.default_rng(0).integers(0, 2**31, 5000)
    assert count_ngrams(np.concatenate([ids, ids]), size).distinct == 5000


@given(st.text(max_size=100), st.integers(1, 6))
def test_any_text_is_judged_within_the_range(text, ngram):
    found = score(text, ngram=ngram)
    assert -1.0 <= found.value <= 0.0
    for finding in found.evidence.get("findings", []):
        start, end = finding["span"]
        assert 0 <= start < end <= len(text)
