import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Sample
from guerdon_plugins.format import Format
from guerdon_plugins.format.bbox_form import MAX_BOXES

SPECIAL = "<|object_ref_start|>blue kayak<|object_ref_end|><|box_start|>(118,405),(540,890)<|box_end|>"
ONE = '{"bbox_2d": [12.5, 30, 200.25, 310], "label": "van"}'


def score(syntax, completion, reference=None, **config):
    reward = Format(format="bbox", syntax=syntax, **config)
    return reward.score(Sample("s", completion, reference=reference or {}))


def box(inner):
    return f"<|box_start|>{inner}<|box_end|>"


@pytest.mark.parametrize(
    ("completion", "loose", "strict"),
    [
        (SPECIAL, 1, 1),
        (SPECIAL + "\n" + SPECIAL, 1, 1),
        (box("(1,2),(3,4)"), 1, 1),
        (box("(1, 2), (3, 4)"), 1, 1),
        (box("(0.5,0.25),(0.75,1.0)"), 1, 1),
        ("The kayak " + SPECIAL + " floats.", 1, 0),
        (f"<think>hm</think>{SPECIAL}", 1, 1),
        ("<|object_ref_start|>two cups<|object_ref_end|>" + box("(1,2),(3,4)") + box("(5,6),(7,8)"), 1, 1),
        ("", 0, 0),
        ("(118,405),(540,890)", 0, 0),
        ("<|object_ref_start|>van<|object_ref_end|>", 0, 0),
        (box(""), 0, 0),
        (box("(1,2)"), 0, 0),
        (box("1,2,3,4"), 0, 0),
        (box("[1,2,3,4]"), 0, 0),
        (box("(1,2),(3,4),(5,6)"), 0, 0),
        (box("(1,2),(3)"), 0, 0),
        (box("(a,2),(3,4)"), 0, 0),
        (box("(nan,2),(3,4)"), 0, 0),
        (box("(1e9,2),(3,4)"), 0, 0),
        (box("(-1,2),(3,4)"), 0, 0),
        (box("(3,2),(1,4)"), 0, 0),
        (box("(1,4),(3,2)"), 0, 0),
        (box("(1,2),(1,4)"), 0, 0),
        (box("(1,2),(1,2)"), 0, 0),
        (box("(１,２),(３,４)"), 0, 0),
        (box("(1，2),(3，4)"), 0, 0),
        (box("(" + "9" * 400 + ",2),(3,4)"), 0, 0),
        ("<|box_start|>(1,2),(3,4)", 0, 0),
        ("(1,2),(3,4)<|box_end|>", 0, 0),
        ("<|box_start|><|box_start|>(1,2),(3,4)<|box_end|><|box_end|>", 0, 0),
        ("<|box_end|>(1,2),(3,4)<|box_start|>", 0, 0),
        ("<|box_start|>(1,2),(3,4)<|object_ref_end|>", 0, 0),
        ("<|object_ref_start|><|object_ref_end|>" + box("(1,2),(3,4)"), 0, 0),
        (SPECIAL + box("(3,2),(1,4)"), 0, 0),
        (SPECIAL + "<|box_start|>", 0, 0),
        (f"<think>{SPECIAL}</think>", 0, 0),
        (box("(1,2),(3,4)") * (MAX_BOXES + 1), 0, 0),
    ],
)
def test_boxes_between_special_tokens(completion, loose, strict):
    assert score("qwen_special", completion).value == loose
    assert score("qwen_special", completion, strict=True).value == strict


@pytest.mark.parametrize(
    ("completion", "loose", "strict"),
    [
        (ONE, 1, 1),
        (f"[{ONE}, {ONE}]", 1, 1),
        ('{"bbox_2d": [0, 0, 1, 1]}', 1, 1),
        (f"```json\n[{ONE}]\n```", 1, 0),
        (f"The van: {ONE}", 1, 0),
        (f"see [1]: {ONE}", 1, 0),
        (f"<think>hm</think>\n{ONE}", 1, 1),
        ("", 0, 0),
        ("[]", 0, 0),
        ("{}", 0, 0),
        ("[1, 2, 3, 4]", 0, 0),
        ("[[1, 2, 3, 4]]", 0, 0),
        ('{"bbox": [1, 2, 3, 4]}', 0, 0),
        ('{"bbox_2d": [120, 80]}', 0, 0),
        ('{"bbox_2d": [1, 2, 3, 4, 5]}', 0, 0),
        ('{"bbox_2d": []}', 0, 0),
        ('{"bbox_2d": null}', 0, 0),
        ('{"bbox_2d": "1,2,3,4"}', 0, 0),
        ('{"bbox_2d": ["1", "2", "3", "4"]}', 0, 0),
        ('{"bbox_2d": [[1, 2], [3, 4]]}', 0, 0),
        ('{"bbox_2d": {"x1": 1, "y1": 2, "x2": 3, "y2": 4}}', 0, 0),
        ('{"bbox_2d": [true, 2, 3, 4]}', 0, 0),
        ('{"bbox_2d": [1, 2, null, 4]}', 0, 0),
        ('{"bbox_2d": [NaN, 2, 3, 4]}', 0, 0),
        ('{"bbox_2d": [1, 2, Infinity, 4]}', 0, 0),
        ('{"bbox_2d": [1, 2, 1e999, 4]}', 0, 0),
        ('{"bbox_2d": [1, 2, 1e300, 4]}', 0, 0),
        ('{"bbox_2d": [3, 2, 1, 4]}', 0, 0),
        ('{"bbox_2d": [1, 4, 3, 2]}', 0, 0),
        ('{"bbox_2d": [1, 2, 1, 4]}', 0, 0),
        ('{"bbox_2d": [-1, 2, 3, 4]}', 0, 0),
        ('{"bbox_2d": [1, 2, 3, 4], "bbox_2d": [1, 2, 5, 6]}', 0, 0),
        ("{'bbox_2d': [1, 2, 3, 4]}", 0, 0),
        (f'[{ONE}, {{"label": "cup"}}]', 0, 0),
        (f'[{ONE}, {{"bbox_2d": [9, 9, 1, 1]}}]', 0, 0),
        (f"[{ONE}, [1, 2, 3, 4]]", 0, 0),
        (f'{ONE} {{"bbox_2d": [9, 9, 1, 1]}}', 0, 0),
        (f'{ONE} {{"bbox_2d": [9, 9', 0, 0),
        (f"[{ONE}, {ONE}", 0, 0),
        (f"<think>{ONE}</think> the van", 0, 0),
        ("[" + ", ".join(['{"bbox_2d": [1, 2, 3, 4]}'] * (MAX_BOXES + 1)) + "]", 0, 0),
    ],
)
def test_boxes_as_json(completion, loose, strict):
    assert score("json_bbox_2d", completion).value == loose
    assert score("json_bbox_2d", completion, strict=True).value == strict


def test_strict_can_still_admit_a_fence_or_prose():
    assert score("json_bbox_2d", f"```json\n{ONE}\n```", strict=True, allow_fence=True).value == 1.0
    assert score("json_bbox_2d", f"Here: {ONE}", strict=True, allow_prose=True).value == 1.0
    assert score("json_bbox_2d", f"{ONE} {ONE}", exactly_one=True).value == 0.0
    assert score("json_bbox_2d", f"Here: {ONE}", exactly_one=True).value == 1.0


def test_an_empty_list_is_an_answer_where_there_is_nothing_to_find():
    assert score("json_bbox_2d", "[]", {"boxes": []}).value == 1.0
    assert score("json_bbox_2d", "[]", {"boxes": [[1, 2, 3, 4]]}).value == 0.0


def test_shows_the_broken_box():
    broken = box("(3,2),(1,4)")
    found = score("qwen_special", f"a {box('(1,2),(3,4)')} b {broken} c")
    completion = f"a {box('(1,2),(3,4)')} b {broken} c"
    assert completion[slice(*found.evidence["findings"][0]["span"])] == broken
    assert "wrong order" in found.reason


@given(
    st.lists(
        st.sampled_from(
            [
                "<|box_start|>",
                "<|box_end|>",
                "(1,2),(3,4)",
                "<|object_ref_start|>",
                "<|object_ref_end|>",
                "a",
                " ",
                ONE,
                "[",
                "]",
                ",",
            ]
        ),
        max_size=10,
    ).map("".join),
    st.sampled_from(["qwen_special", "json_bbox_2d"]),
    st.booleans(),
)
def test_any_mix_is_judged_without_an_exception(completion, syntax, strict):
    assert score(syntax, completion, strict=strict).value in (0.0, 1.0)
