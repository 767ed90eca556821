"""Answers, boxes and right completions: what attacks are made from."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.testing import faulty

from guerdon import DataError, Sample
from guerdon.testing import Case, attacks, boxes, read_cases
from guerdon.testing.answers import answers_of
from guerdon.testing.attacks import example_of
from guerdon.testing.calling import Scorer
from guerdon.testing.golds import Builder
from guerdon_plugins import Correctness, Grounding

SIZES = {"image_width": 640, "image_height": 480, "input_width": 320, "input_height": 280}


def page(width, height, corners):
    return boxes.Page(width, height, (width / 2, height / 3), tuple(corners), ("x",) * len(corners))


@given(
    width=st.integers(10, 5000),
    height=st.integers(10, 5000),
    sides=st.lists(st.floats(0, 0.99), min_size=4, max_size=4),
    space=st.sampled_from(boxes.SPACES),
    order=st.sampled_from(boxes.ORDERS),
)
def test_what_is_written_in_any_notation_reads_back(width, height, sides, space, order):
    x1, x2 = sorted((sides[0] * width, sides[1] * width))
    y1, y2 = sorted((sides[2] * height, sides[3] * height))
    written = boxes.write(page(width, height, [(x1, y1, x2, y2)]), [(x1, y1, x2, y2)], space, order)
    row = json.loads(written)[0]["bbox_2d"]
    reference = {"boxes": [row], "ref_space": space, "ref_order": order}
    metadata = {"image_width": width, "image_height": height, "input_width": width / 2, "input_height": height / 3}
    read = boxes.page_of(Sample("a/0", "", reference=reference, metadata=metadata))
    assert read.boxes[0] == pytest.approx((x1, y1, x2, y2), abs=1e-5 * max(width, height) + 1e-4)


def test_a_wrong_box_lies_where_nothing_is():
    one = page(100, 100, [(0, 0, 60, 60)])
    assert boxes.elsewhere(one) == ((0.0, 95.0, 5.0, 100.0),)
    assert boxes.elsewhere(page(100, 100, [(0, 0, 100, 100)])) == ()


@pytest.mark.parametrize(
    ("reference", "right", "wrong"),
    [
        ({"type": "choice", "answer": "B", "options": ["A", "B", "C"]}, "B", ("A", "C")),
        ({"type": "choice", "answer": ["A", "C"], "options": ["A", "B", "C"]}, "A, C", ("B",)),
        ({"type": "exact", "answer": "yes", "choices": ["yes", "no"]}, "yes", ("no",)),
        ({"type": "exact", "answer": "cat"}, "cat", ("none of these",)),
        ({"type": "numeric", "answer": "1,000 kg"}, "1,000 kg", ("3007 kg", "-1001 kg")),
        ({"type": "count", "answer": 3}, "3", ("4", "5")),
        ({"type": "math", "answer": "x^2"}, "$x^2$", ("$7919$",)),
        ({"type": "ocr_present", "texts": ["a", "b"]}, "a, b", ("none of these",)),
        (
            {"type": "fields", "answer": {"a": 1, "b": [True, "x"]}},
            '{"a": 1, "b": [true, "x"]}',
            ('{"a": 2, "b": [false, "none of these"]}',),
        ),
    ],
)
def test_answers_are_built_from_references(reference, right, wrong):
    found = answers_of(Sample("a/0", "", reference=reference))
    assert [(item.right, item.wrong) for item in found] == [(right, wrong)]


@pytest.mark.parametrize(
    "reference",
    [
        {},
        {"type": "poem"},
        {"type": ["choice"]},
        {"type": "choice", "answer": "Z", "options": ["A"]},
        {"type": "choice", "answer": "A", "options": 7},
        {"type": "exact", "answer": " "},
        {"type": "numeric", "answer": "many"},
        {"type": "numeric", "answer": None},
        {"type": "count", "answer": "many"},
        {"type": "fields", "answer": []},
        {"type": "ocr", "texts": "STOP"},
        {"type": "boxes", "boxes": [[1, 2, 3]], "ref_space": "abs"},
        {"type": "boxes", "boxes": [[1, 2, 3, 4]]},
    ],
    ids=str,
)
def test_a_reference_that_cannot_be_used_builds_nothing(reference):
    assert answers_of(Sample("a/0", "", reference=reference, metadata=SIZES)) == []


def test_a_point_is_written_in_the_middle():
    reference = {"type": "point_in_box", "boxes": [[0, 0, 64, 48]], "ref_space": "abs"}
    sample = Sample("a/0", "", reference=reference, metadata=SIZES)
    gold = Builder(Scorer(Grounding(pred_space="norm1000"))).gold(sample)
    assert '{"point_2d": [50, 50]}' in gold.sample.completion
    assert [Grounding(pred_space="norm1000").score(item).value for item in gold.wrong()] == [0.0]


def test_a_right_completion_takes_the_form_of_the_reward():
    sample = Sample("a/0", "", reference={"type": "exact", "answer": "blue"})
    marked = Builder(Scorer(Correctness(answer_from="marker", marker="Result:"))).gold(sample)
    assert marked.sample.completion == "Result: blue"
    tagged = Builder(Scorer(Correctness(answer_from="tag", tag="final"))).gold(sample)
    assert tagged.sample.completion.endswith("<final>blue</final>")
    assert Builder(Scorer(faulty.Exact())).gold(sample).sample.completion == "blue"


def test_a_given_completion_is_cut_at_its_answer():
    reference = {"type": "exact", "answer": "blue"}
    builder = Builder(Scorer(faulty.Exact()))
    for text, before, answer in [
        ("<think>blue?</think><answer>blue</answer>", "<think>blue?</think><answer>", "blue"),
        ("so \\boxed{navy}", "so \\boxed{", "navy"),
        (" blue\n", " ", "blue"),
        ("blue, I say blue.", "", "blue, I say blue."),
        ("no idea", "", "no idea"),
    ]:
        gold = builder.gold(Sample("a/0", text, reference=reference))
        assert (gold.before, gold.answer) == (before, answer)
        assert gold.with_answer(gold.answer).completion == text


def test_the_notation_of_a_given_completion_is_found():
    reference = {"type": "boxes", "boxes": [[64, 48, 320, 240]], "ref_space": "abs"}
    given = Sample("a/0", "<answer>[64, 48, 256, 192]</answer>", reference=reference, metadata=SIZES)
    gold = Builder(Scorer(Grounding(pred_space="abs", pred_order="xywh"))).gold(given)
    assert gold.answers.notation == "abs xywh"
    assert Builder(Scorer(faulty.Exact())).gold(given).answers is None


def test_attacks_name_themselves_and_keep_the_sample():
    sample = Sample(
        "a/0",
        "<think>Hm.</think><answer>B</answer>",
        reference={"type": "choice", "answer": "B", "options": ["A", "B"]},
    )
    gold = Builder(Scorer(Correctness())).gold(sample)
    found = list(attacks(gold))
    assert len({attack.name for attack in found}) > 25
    assert all(item.id == "a/0" and item.reference == sample.reference for attack in found for item in attack.samples)
    assert all(item.completion != sample.completion for attack in found for item in attack.samples)


def test_the_least_that_a_schema_allows():
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "array"}, "c": {"type": ["null"]}},
    }
    assert example_of(schema) == {"a": "string", "b": [], "c": None}


def write(path, *rows):
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


ROW = {"id": "q", "messages": [{"role": "user", "content": "?"}], "reference": {"answer": "a"}}


def test_cases_are_read_from_lines(tmp_path):
    path = write(
        tmp_path / "gold.jsonl",
        ROW | {"completion": "a", "wrong": ["b"], "order": ["c", "a"], "earns": {"c": 0}},
        ROW | {"id": "r"},
    )
    first, second = read_cases(path)
    assert (first.sample.id, first.sample.completion, first.wrong, first.order) == ("q/0", "a", ("b",), ("c", "a"))
    assert first.earns == {"c": 0.0}
    assert second == Case(Sample("r/0", "", ROW["messages"], ROW["reference"], group_id="r"))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (ROW | {"completion": 7}, "gold.jsonl:1: completion must be text; found 7"),
        (ROW | {"wrong": "b"}, "gold.jsonl:1: wrong must be a list of texts"),
        (ROW | {"order": [1]}, "gold.jsonl:1: order must be a list of texts"),
        (ROW | {"earns": {"a": True}}, "gold.jsonl:1: earns must map completions to numbers"),
        (ROW | {"answer": 1}, "a line has id and messages"),
        ([1], "a line has id and messages"),
    ],
)
def test_a_wrong_line_is_named(row, said, tmp_path):
    with pytest.raises(DataError, match=said):
        read_cases(write(tmp_path / "gold.jsonl", row))


def test_a_file_without_samples(tmp_path):
    with pytest.raises(DataError, match="holds no samples"):
        read_cases(write(tmp_path / "gold.jsonl"))
    with pytest.raises(DataError, match="cannot be read"):
        read_cases(tmp_path / "none.jsonl")
