"""Samples and groups: frozen, and equal after a trip through pickle."""

import dataclasses
import pickle

import pytest

from guerdon import Group, LazyImage, Sample


def test_the_defaults_are_empty_and_read_only():
    sample = Sample("p/0", "text")
    assert (sample.prompt, sample.images, sample.completion_tokens) == ((), (), ())
    assert sample.step is None
    with pytest.raises(TypeError):
        sample.reference["answer"] = "x"
    with pytest.raises(dataclasses.FrozenInstanceError):
        sample.completion = "other"
    with pytest.raises((AttributeError, TypeError)):
        sample.unknown = 1


@pytest.mark.parametrize(
    ("tokens", "count", "length"), [((), None, None), ((), 7, 7), ((1, 2, 3), None, 3), ((1, 2, 3), 99, 3), ((), 0, 0)]
)
def test_tokens_counts_ids_before_it_believes_a_number(tokens, count, length):
    assert Sample("p/0", "x", completion_tokens=tokens, token_count=count).tokens == length


def test_pickles_equal():
    full = Sample(
        "p/1",
        "text",
        prompt=({"role": "user", "content": "?"},),
        reference={"type": "exact", "answer": "B"},
        completion_tokens=(1, 2),
        truncated=True,
        images=(LazyImage("a.png"),),
        metadata={"modality": "image"},
        group_id="p",
        index=1,
        step=3,
    )
    for sample in (full, Sample("p/0", "")):
        assert pickle.loads(pickle.dumps(sample)) == sample
    group = Group("p", (full,))
    assert pickle.loads(pickle.dumps(group)) == group
