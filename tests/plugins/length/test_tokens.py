import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import DataError, Sample
from guerdon_plugins.length import Length
from guerdon_plugins.length.tokens import count_tokens, token_ids


def sample(ids=None, completion="x", tokens=(), count=None, **metadata):
    if ids is not None:
        metadata["token_ids"] = ids
    return Sample("s7", completion, completion_tokens=tokens, token_count=count, metadata=metadata)


@pytest.mark.parametrize(
    ("given_sample", "expected"),
    [
        (sample(tokens=(5, 6, 7)), [5, 6, 7]),
        (sample([5, 6, 7]), [5, 6, 7]),
        (sample([9], tokens=(5, 6)), [5, 6]),
        (sample([]), []),
        (sample(np.array([5, 6])), [5, 6]),
        (sample((5, 6)), [5, 6]),
        (sample([[7, 8], [9, 10, 11], [12, 13, 14]]), [7, 8, 9, 10, 11, 12, 13, 14]),
        (sample([[7, 8], []]), [7, 8]),
        (sample([[7, 8], [9, 10]]), [7, 8, 9, 10]),
        (sample([[]]), []),
        (sample(np.array([[7, 8], [9, 0]]), pad_token_id=0), [7, 8, 9]),
        (sample([11, 12, 13, 0, 0, 0], pad_token_id=0), [11, 12, 13]),
        (sample([0, 0, 11, 12], pad_token_id=0), [11, 12]),
        (sample([[11, 0, 0], [12, 13, 0]], pad_token_id=0), [11, 12, 13]),
        (sample([0, 0, 0], pad_token_id=0), []),
        (sample([11, 12, 2, 13, 14], eos_token_id=2), [11, 12, 2]),
        (sample([11, 12, 2, 2, 2], eos_token_id=2), [11, 12, 2]),
        (sample([11, 12, 2, 0, 0], eos_token_id=2, pad_token_id=0), [11, 12, 2]),
        (sample([11, 12, 2, 2, 2], eos_token_id=2, pad_token_id=2), [11, 12, 2]),
        (sample([0, 11, 2, 13, 0], eos_token_id=2, pad_token_id=0), [11, 2]),
        (sample([2, 11], eos_token_id=2), [2]),
        (sample([11, 12], eos_token_id=2, pad_token_id=0), [11, 12]),
        (sample([11, 3, 12], eos_token_id=[2, 3]), [11, 3]),
        (sample([[7, 2, 5], [8, 2, 6]], eos_token_id=2), [7, 2, 8, 2]),
        (sample([11, 12], eos_token_id=None, pad_token_id=None), [11, 12]),
        (sample(tokens=(11, 0, 0), pad_token_id=0), [11]),
        (sample(tokens=(11, 2, 12), eos_token_id=2), [11, 2]),
    ],
)
def test_the_ids_that_count(given_sample, expected):
    assert token_ids(given_sample).tolist() == expected
    assert count_tokens(given_sample) == len(expected)


@pytest.mark.parametrize(
    ("given_sample", "expected"),
    [
        (sample(count=60, completion="abcdefghi " * 40), 60),
        (sample(token_count=60), 60),
        (sample(count=60, token_count=7), 60),
        (sample(token_count=np.int64(60)), 60),
        (sample(count=0), 0),
        (sample([5, 6], count=60), 2),
        (sample(completion=""), 0),
    ],
)
def test_a_count_stands_in_for_ids(given_sample, expected):
    assert count_tokens(given_sample) == expected


@pytest.mark.parametrize(
    "unknown",
    [
        sample(),
        sample(token_count=None),
        sample(token_count=-1),
        sample(token_count=True),
        sample(token_count=3.5),
        sample(token_count="60"),
        sample(token_count=float("nan")),
    ],
)
def test_an_unknown_length_is_a_failure_not_a_number_of_characters(unknown):
    with pytest.raises(DataError, match=r"sample s7: the length in tokens is unknown .* configure `unit: words`"):
        count_tokens(unknown)
    for component in ("soft_overlong", "cosine"):
        with pytest.raises(DataError):
            Length(component=component, max_len=10).score(unknown)


@pytest.mark.parametrize(
    "ids",
    ["abc", 3.5, [1.5], ["a"], [None], [True, False], [[1], 2, "x"], [1, [2]], [[[1, 2]]], {"a": 1}, b"ab", [2**70]],
)
def test_what_is_no_list_of_ids_is_a_failure(ids):
    for component in ({"max_len": 10}, {"component": "repetition", "ngram": 2}):
        with pytest.raises(DataError, match=r"sample s7: token_ids must hold whole numbers"):
            Length(**component).score(sample(ids))


@pytest.mark.parametrize("key", ["eos_token_id", "pad_token_id"])
def test_a_marker_that_is_no_id_is_a_failure(key):
    with pytest.raises(DataError, match=key):
        count_tokens(sample([1, 2], **{key: "<pad>"}))


def test_a_sample_is_left_as_it_is():
    ids = [11, 2, 0]
    token_ids(sample(ids, eos_token_id=2, pad_token_id=0))
    array = np.array([11, 2, 0])
    token_ids(sample(array, eos_token_id=2, pad_token_id=0))
    assert (ids, array.tolist()) == ([11, 2, 0], [11, 2, 0])


@given(st.lists(st.integers(0, 6), max_size=20), st.integers(0, 6), st.integers(0, 6))
def test_padding_and_text_after_the_end_never_matter(ids, end, pad):
    plain = [token for token in ids if token not in (end, pad)]
    expected = [*plain, end]
    padded = [pad, *plain, end, *([pad] * 3)] if pad != end else [*plain, end, end, end]
    assert token_ids(sample(padded, eos_token_id=end, pad_token_id=pad)).tolist() == expected
    assert token_ids(sample([*plain, end, *ids], eos_token_id=end)).tolist() == expected
