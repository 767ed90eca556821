"""Which fields differ, and which node is the odd one out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guerdon import RunError
from guerdon_trainer.doctor import check_same, compare

FACTS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["1", "2", None]), max_size=3)
NODES = st.dictionaries(st.sampled_from(["n1", "n2", "n3", "n4"]), FACTS, min_size=1)


def test_the_odd_one_of_three_is_named():
    (found,) = compare(
        {"a": {"ray": "1", "torch": "2"}, "b": {"ray": "1", "torch": "2"}, "c": {"ray": "9", "torch": "2"}}
    )
    assert (found.field, found.odd) == ("ray", ("c",))
    assert found.values == {"a": "1", "b": "1", "c": "9"}


def test_without_a_majority_all_are_named():
    (found,) = compare({"a": {"ray": "1"}, "b": {"ray": "2"}})
    assert found.odd == ("a", "b")


def test_a_field_that_does_not_apply_is_not_compared():
    assert compare({"head": {"driver": None}, "gpu1": {"driver": "580"}, "gpu2": {"driver": "580"}}) == []


def test_a_field_that_a_node_does_not_know_differs():
    (found,) = compare({"a": {"reward x": "1"}, "b": {"reward x": "1"}, "c": {}})
    assert (found.odd, found.values["c"]) == (("c",), "absent")


def test_the_error_is_a_table_with_the_remedy():
    nodes = {"a": {"image": "x@1"}, "b": {"image": "x@1"}, "c": {"image": "x@2"}}
    with pytest.raises(RunError) as caught:
        check_same(nodes)
    assert str(caught.value) == (
        "the 3 nodes do not run the same:\n  image: x@1 on a, b; x@2 on c (odd: c)\nGive all of them one image"
    )


@settings(deadline=None)
@given(FACTS, st.integers(1, 5))
def test_nodes_that_are_alike_pass(facts, count):
    check_same({f"n{index}": facts for index in range(count)})


@settings(deadline=None)
@given(NODES)
def test_what_differs_is_what_has_two_values(nodes):
    known = {field for facts in nodes.values() for field in facts}
    values = {
        field: {facts.get(field, "absent") for facts in nodes.values() if facts.get(field, "absent") is not None}
        for field in known
    }
    found = compare(nodes)
    assert {mismatch.field for mismatch in found} == {field for field in known if len(values[field]) > 1}
    for mismatch in found:
        assert set(mismatch.odd) <= nodes.keys()
        assert mismatch.odd
