"""Known ways to earn the format reward without the form, each of which must earn nothing."""

import pytest

from guerdon import Sample
from guerdon_plugins.format import Format

OBJECT = {"type": "object", "required": ["label"], "properties": {"label": {"type": ["string", "null"]}}}
BOX = {"format": "bbox", "syntax": "json_bbox_2d"}
KEYWORD = {"format": "rules", "rules": [{"id": "keywords:exist", "keywords": ["kite", "beach"]}]}
PROMPT = (
    "Answer as <think> reasons </think><answer> colour </answer>, boxed as \\boxed{answer},"
    ' or as {"label": "colour"}. A kite at the beach.'
)

ATTACKS = {
    "empty": ({}, ""),
    "an empty think and a letter (Soup#814)": ({"format": "think"}, "<think></think>a"),
    "an empty think and an answer": ({}, "<think></think><answer>a</answer>"),
    "blanks that count as letters": ({}, "<think>\u3164</think><answer>\uffa0</answer>"),
    "invisible characters": ({}, "<think>\u200b\u200b</think><answer>\u2060</answer>"),
    "character references for blanks": ({}, "<think>&nbsp;</think><answer>&#8203;</answer>"),
    "empty markup": ({}, "<think><i></i></think><answer><b></b></answer>"),
    "dots": ({}, "<think>...</think><answer>...</answer>"),
    "tags stuffed (open-r1#418)": ({}, "<think></think>" * 40 + "<answer></answer>" * 40),
    "tags stuffed with content": ({}, "<think>a</think><answer>b</answer>" * 8),
    "an answer for every option": ({}, "<think>a</think>" + "".join(f"<answer>{c}</answer>" for c in "ABCD")),
    "many thoughts, one answer (open-r1#359)": ({}, "<think>p</think><think>q</think><answer>5</answer>"),
    "a second answer in other letters": ({}, "<think>a</think><answer>1</answer><ANSWER>2</ANSWER>"),
    "a second answer with an attribute": ({}, "<think>a</think><answer>1</answer><answer x>2</answer>"),
    "an answer within the thought": ({}, "<think>a <answer>1</answer></think><answer>2</answer>"),
    "nested": ({}, "<think><think>a</think></think><answer>1</answer>"),
    "reversed": ({}, "<answer>5</answer><think>because</think>"),
    "cut off": ({}, "<think>a</think><answer>5"),
    "chatter after the form": ({}, "<think>a</think><answer>5</answer> Full marks, please."),
    "the form after the end token": (
        {"special_tokens": ["<|im_end|>"]},
        "5<|im_end|><think>a</think><answer>5</answer>",
    ),
    "the prompt's form counted (EasyR1#26)": ({"format": "boxed"}, "The answer is 7."),
    "the template handed back": ({"reject_prompt_copy": True}, "<think>reasons</think><answer>colour</answer>"),
    "the template with zero width": (
        {"reject_prompt_copy": True},
        "<think>rea\u200bsons</think><answer>colou\u200br</answer>",
    ),
    "the prompt's box handed back": ({"format": "boxed", "reject_prompt_copy": True}, "\\boxed{answer}"),
    "the prompt's JSON handed back": ({"format": "json", "reject_prompt_copy": True}, '{"label":"colour"}'),
    "an empty box in a box": ({"format": "boxed"}, "\\boxed{\\boxed{}}"),
    "an empty box": ({"format": "boxed"}, "\\boxed{}"),
    "a box with spacing": ({"format": "boxed"}, "\\boxed{\\quad\\,}"),
    "a box with a phantom": ({"format": "boxed"}, "\\boxed{\\phantom{7}}"),
    "a box within the thought only": ({"format": "boxed"}, "<think>\\boxed{7}</think> done"),
    "a box that is never closed": ({"format": "boxed"}, "\\boxed{7"),
    "boxes for every option": ({"format": "boxed", "strict": True}, "\\boxed{A}\\boxed{B}\\boxed{C}"),
    "a key twice, so two answers": ({"format": "json", "schema": OBJECT}, '{"label": "cat", "label": "dog"}'),
    "nulls for an answer": ({"format": "json", "schema": OBJECT}, '{"label": null}'),
    "blanks for an answer": ({"format": "json", "schema": OBJECT}, '{"label": "\\u200b"}'),
    "the schema's example": (
        {"format": "json", "schema": {**OBJECT, "examples": [{"label": "dog"}]}},
        '{"label": "dog"}',
    ),
    "NaN to pass every bound": ({"format": "json", "schema": {"properties": {"n": {"maximum": 1}}}}, '{"n": NaN}'),
    "true for a number": ({"format": "json", "schema": {"properties": {"n": {"type": "number"}}}}, '{"n": true}'),
    "an object for each reading": (
        {"format": "json", "schema": OBJECT, "allow_prose": True, "exactly_one": True},
        '{"label": "cat"} {"label": "dog"}',
    ),
    "a good object, then a broken one": (
        {"format": "json", "schema": OBJECT, "allow_prose": True},
        '{"label": "cat"} no: {"label": "dog',
    ),
    "an object in a broken list": (
        {"format": "json", "schema": OBJECT, "allow_prose": True},
        '[{"label": "cat"}, {"lab',
    ),
    "an object in the thought": (
        {"format": "json", "schema": OBJECT, "allow_prose": True},
        '<think>{"label": "cat"}</think>',
    ),
    "a Python dict": ({"format": "json", "schema": OBJECT}, "{'label': 'cat'}"),
    "no box at all": (BOX, "[]"),
    "an inverted box": (BOX, '{"bbox_2d": [9, 9, 1, 1]}'),
    "an infinite box": (BOX, '{"bbox_2d": [0, 0, 1e999, 1e999]}'),
    "one good box among bad ones": (BOX, '[{"bbox_2d": [1, 1, 2, 2]}, {"bbox_2d": [9, 9, 1, 1]}]'),
    "keywords inside other words": (KEYWORD, "kitesurfing beachwear"),
    "keywords in the thought only": (KEYWORD, "<think>kite beach</think> no"),
    "keywords of the prompt": (KEYWORD, "nothing"),
}


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("partial", [False, True])
def test_attack(name, partial):
    config, completion = ATTACKS[name]
    sample = Sample(
        "s",
        completion,
        prompt=[{"role": "user", "content": PROMPT}],
        reference={"answer": {"label": "cat"}, "boxes": [1]},
    )
    found = Format(**config, partial=partial).score(sample)
    assert found.value == 0.0 if not partial else found.value < 1.0
    assert found.reason != "well formed"
    assert found.evidence["findings"]


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "a",
        "<think></think>",
        "<answer></answer>",
        "<think></think><answer></answer>",
        "</think></answer>",
        "<think>" * 99,
    ],
)
def test_scaffolds_earn_no_partial_credit(completion):
    assert Format(partial=True).score(Sample("s", completion)).value == 0.0


def test_a_form_with_content_beats_every_scaffold():
    real = Format().score(Sample("s", "<think>The roof is the darkest part.</think><answer>brown</answer>")).value
    assert all(
        real > Format(**config).score(Sample("s", completion)).value
        for config, completion in ATTACKS.values()
        if not config
    )
