"""Files of completions."""

import json

import pytest

from guerdon import DataError
from guerdon.rescoring.lines import read_groups

PROMPT = {"id": "q", "messages": [{"role": "user", "content": "why"}]}


@pytest.fixture
def read(tmp_path):
    def read(*rows):
        path = tmp_path / "c.jsonl"
        path.write_text("\n".join(json.dumps(row) if isinstance(row, dict) else row for row in rows))
        return list(read_groups(path))

    return read


def test_one_line_or_several_make_a_group(read):
    rows = [PROMPT | {"completion": "one"}, "", PROMPT | {"completions": ["two", {"text": "three", "token_count": 7}]}]
    (group,) = read(*rows)
    assert [sample.id for sample in group.samples] == ["q/0", "q/1", "q/2"]
    assert [sample.completion for sample in group.samples] == ["one", "two", "three"]
    assert [sample.tokens for sample in group.samples] == [None, None, 7]
    assert group.samples[0].prompt == PROMPT["messages"]


def test_all_that_a_completion_may_carry(read):
    full = {"text": "x", "token_ids": [5, 6], "truncated": True}
    picture = [{"role": "user", "content": [{"type": "image", "image": "a.png"}]}]
    row = PROMPT | {"messages": picture, "reference": {"a": 1}, "metadata": {"b": 2}, "completion": full}
    ((sample,),) = [group.samples for group in read(row)]
    assert (sample.tokens, sample.truncated, sample.completion_tokens) == (2, True, [5, 6])
    assert (sample.reference, sample.metadata) == ({"a": 1}, {"b": 2})
    assert sample.images[0].source.endswith("/a.png")


@pytest.mark.parametrize(
    ("rows", "word"),
    [
        ([], "holds no completions"),
        ([PROMPT], "c.jsonl:1: a line needs `completion` or `completions`"),
        ([PROMPT | {"completion": "a", "completions": ["b"]}], "needs `completion` or `completions`"),
        ([PROMPT | {"completions": []}], "at least one"),
        ([PROMPT | {"completions": "text"}], "must be a list"),
        ([PROMPT | {"completion": 3}], "a completion is a text"),
        ([PROMPT | {"completion": {"text": "a", "tokens": 3}}], "a completion is a text"),
        ([PROMPT | {"completion": {"text": "a", "token_count": True}}], "token_count must be an integer"),
        ([PROMPT | {"completion": {"text": "a", "truncated": 1}}], "truncated must be true or false"),
        ([PROMPT | {"completion": {"text": "a", "token_ids": [1, "2"]}}], "token_ids must be a list of integers"),
        ([{"id": "q", "completion": "a"}], "a line has id and messages"),
        (["{"], "c.jsonl:1 is no JSON"),
        (["3"], "needs `completion`"),
        ([PROMPT | {"completion": "a"}, PROMPT | {"completion": "b", "reference": {"x": 1}}], "another prompt"),
        ([PROMPT | {"id": i, "completion": "a"} for i in ("q", "r", "q")], "c.jsonl:3: the id 'q' stands again"),
    ],
)
def test_a_bad_line_is_refused(read, rows, word):
    with pytest.raises(DataError) as caught:
        read(*rows)
    assert word in str(caught.value)
