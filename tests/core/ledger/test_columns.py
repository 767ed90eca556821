import math

import numpy as np
import pyarrow as pa

from guerdon.ledger.columns import coded, constant, integers, numbers, shared, texts


def test_repeated_texts_are_stored_once():
    column = constant("demo", 4)
    assert column.to_pylist() == ["demo"] * 4
    assert len(column.dictionary) == 1
    assert constant("demo", 0).to_pylist() == []


def test_a_code_below_zero_is_null():
    assert coded(np.array([1, -1, 0]), ["a", "b"]).to_pylist() == ["b", None, "a"]


def test_texts_take_what_is_no_text_and_cut_what_is_too_long():
    assert texts(["a", None, "答案"]).to_pylist() == ["a", None, "答案"]
    assert texts(["a", 5, "\ud800"]).to_pylist() == ["a", "5", "\ufffd"]
    assert texts(["abcdef", "abc"], limit=4).to_pylist() == ["abc…", "abc"]
    assert texts(["答" * 3], limit=4).to_pylist() == ["答" * 3]


def test_numbers_become_null_where_there_is_none():
    assert numbers([1, None, math.nan, 2.5], 4).to_pylist() == [1, None, None, 2.5]
    assert numbers(["1.5", "x", object()], 3).to_pylist() == [1.5, None, None]
    assert numbers(None, 2).to_pylist() == [None, None]
    assert numbers(np.array([1.0, math.nan]), 2).type == pa.float64()


def test_integers_keep_gaps():
    assert integers([1, None]).to_pylist() == [1, None]


def test_shared_objects_are_encoded_once():
    seen = []

    def encode(item):
        seen.append(item)
        return item["text"]

    one, same, none = {"text": "x"}, {"text": "x"}, {"text": None}
    column = shared([one, one, same, none, none], encode)
    assert column.to_pylist() == ["x", "x", "x", None, None]
    assert seen == [one, same, none]
    assert len(column.dictionary) == 1
