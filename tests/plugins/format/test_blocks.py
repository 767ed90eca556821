import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Sample
from guerdon_plugins.format import Format
from guerdon_plugins.format.blocks import MAX_TAGS, find_tags

GOOD = "<think>Three chairs face the table.</think>\n<answer>3</answer>"


def score(completion, **config):
    return Format(**config).score(Sample("s", completion))


def value(completion, **config):
    return score(completion, **config).value


def test_without_options_the_form_is_think_and_answer_strictly():
    assert score(GOOD) == score(GOOD, format="think_answer", strict=True) == score(GOOD, tags=["think", "answer"])
    assert (score(GOOD).value, score(GOOD).reason) == (1.0, "well formed")


@pytest.mark.parametrize(
    "completion",
    [
        GOOD,
        "<think>a</think><answer>b</answer>",
        "\n\n<think>a</think>\r\n\t\u3000<answer>b</answer> \n",
        "<think>\n1. red scooter\n2. green bus\n</think>\n<answer>\n2\n</answer>",
        "<think>图中有三把椅子</think><answer>三</answer>",
        "<think>x < 3 and y > 2, so <b>bold</b></think><answer>x<3</answer>",
        '<think>a {"k": 1} \\boxed{2}</think><answer>\\boxed{2}</answer>',
        "<think>a</think><answer>-</answer>",
        "<think>a</think><answer>😀</answer>",
        "<think>a</think><answer>猫</answer>",
        "<think>a</think><answer><br></answer>",
        "<think>&lt;think&gt; is a tag</think><answer>1</answer>",
        "<think>thinking thinks</think><answer>answers</answer>",
        "<think>a</think><answer><thinking>b</thinking></answer>",
        "<think>" + "word " * 20_000 + "</think><answer>1</answer>",
    ],
)
def test_well_formed(completion):
    assert value(completion) == 1.0
    assert value(completion, strict=False) == 1.0


@pytest.mark.parametrize(
    ("completion", "part", "place"),
    [
        ("", "think", ""),
        ("3", "think", ""),
        ("<answer>3</answer>", "think", ""),
        ("<think>a</think>", "answer", ""),
        ("<think>a</think>3", "answer", ""),
        ("<think>a<answer>3</answer>", "think", "<think>"),
        ("<think>a</think><answer>3", "answer", "<answer>"),
        ("a</think><answer>3</answer>", "think", "</think>"),
        ("<think>a</think>3</answer>", "answer", "</answer>"),
        ("<think>a</think><think>b</think><answer>3</answer>", "think", "<think>"),
        ("<think>a</think><answer>1</answer><answer>2</answer>", "answer", "<answer>"),
        ("<think><think>a</think></think><answer>1</answer>", "think", "<think>"),
        ("<think>a<answer>1</answer></think>", "think", "<answer>"),
        ("<think>a <answer> b</think><answer>1</answer>", "think", "<answer>"),
        ("<answer>5</answer><think>a</think>", "order", "<answer>5</answer>"),
        ("</think>a<think><answer>5</answer>", "think", "</think>a<think>"),
        ("<think>a</think> Here: <answer>3</answer>", "alone", "Here:"),
        ("Sure! <think>a</think><answer>3</answer>", "alone", "Sure!"),
        ("<think>a</think><answer>9</answer> Let me know.", "alone", "Let me know."),
        ("<think>a</think><answer>9</answer>\u200b", "alone", "\u200b"),
        ("```\n<think>a</think><answer>9</answer>\n```", "alone", "```"),
        ("<think></think><answer>3</answer>", "think", "<think></think>"),
        ("<think> \n\t</think><answer>3</answer>", "think", "<think> \n\t</think>"),
        ("<think>...</think><answer>3</answer>", "think", "<think>...</think>"),
        ("<think>\u200b\u3164\u2800</think><answer>3</answer>", "think", "<think>\u200b\u3164\u2800</think>"),
        ("<think>&nbsp;&#8203;</think><answer>3</answer>", "think", "<think>&nbsp;&#8203;</think>"),
        ("<think><!-- x --></think><answer>3</answer>", "think", "<think><!-- x --></think>"),
        ("<think><p></p></think><answer>3</answer>", "think", "<think><p></p></think>"),
        ("<think>?!</think><answer>3</answer>", "think", "<think>?!</think>"),
        ("<think>a</think><answer></answer>", "answer", "<answer></answer>"),
        ("<think>a</think><answer> </answer>", "answer", "<answer> </answer>"),
        ("<think>a</think><answer>…</answer>", "answer", "<answer>…</answer>"),
        ("<think>a</think><answer>___</answer>", "answer", "<answer>___</answer>"),
        ("<think>a</think><answer>\u0301</answer>", "answer", "<answer>\u0301</answer>"),
        ("<think>a</think><answer><b></b></answer>", "answer", "<answer><b></b></answer>"),
        ("<Think>a</Think><answer>3</answer>", "think", "<Think>"),
        ("<THINK>a</THINK><ANSWER>3</ANSWER>", "think", "<THINK>"),
        ("< think >a</think><answer>3</answer>", "think", "< think >"),
        ("<think>a</ think><answer>3</answer>", "think", "</ think>"),
        ('<think lang="en">a</think><answer>3</answer>', "think", '<think lang="en">'),
        ("<think/>a<answer>3</answer>", "think", "<think/>"),
        ("＜think＞a＜/think＞<answer>3</answer>", "think", "＜think＞"),
        ("<think>a</think><answer>3<／answer>", "answer", "<／answer>"),
        ("<think>a<Think>b</Think></think><answer>3</answer>", "think", "<Think>"),
        ("<think>a</think><answer>3</answer></answer>", "answer", "</answer>"),
        ("<think>a</think></think><answer>3</answer>", "think", "</think>"),
        ("&lt;think&gt;a&lt;/think&gt;<answer>3</answer>", "think", ""),
        ("[think]a[/think][answer]3[/answer]", "think", ""),
        ("<thinking>a</thinking><answer>3</answer>", "think", ""),
        ("<think></think>" * 40 + "<answer></answer>" * 40, "think", "<think>"),
    ],
)
def test_malformed(completion, part, place):
    found = score(completion)
    assert found.value == 0.0
    assert found.reason.startswith(f"{part}: ")
    start, end = found.evidence["findings"][0]["span"]
    assert completion[start:end] == place
    assert found.evidence["parts"][part] is False


def test_a_stuffed_text_is_not_read_to_the_end():
    found = score("<think>" * 50_000)
    assert (found.value, found.reason) == (0.0, f"think: more than {MAX_TAGS} tags")
    assert len(find_tags("<think>" * 50_000, ("think",))) == MAX_TAGS + 1


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("Let me see. <think>a</think> So: <answer>3</answer> Done.", 1.0),
        ("<answer>3</answer><think>a</think>", 0.0),
        ("<think>a</think><answer>1</answer><answer>2</answer>", 0.0),
        ("<think></think><answer>3</answer>", 0.0),
        ("<think>a<answer>3</answer></think>", 0.0),
        ("<think>a <answer>3</answer>", 0.0),
    ],
)
def test_lenient_admits_text_outside_and_nothing_else(completion, expected):
    assert value(completion, strict=False) == expected


@pytest.mark.parametrize(
    ("completion", "prefill", "expected"),
    [
        ("four cups.\n</think>\n<answer>4</answer>", "<think>\n", 1.0),
        ("four cups.\n</think>\n<answer>4</answer>", "", 0.0),
        ("<think>four</think><answer>4</answer>", "<think>\n", 0.0),
        ("</think><answer>4</answer>", "<think>\n", 0.0),
        ("</think><answer>4</answer>", "<think>\nFirst,", 1.0),
        ("4</answer>", "<think>four</think><answer>", 1.0),
        ("", "<think>\n", 0.0),
    ],
)
def test_prefill(completion, prefill, expected):
    assert value(completion, prefill=prefill) == expected


def test_places_are_positions_in_the_completion_whatever_the_prefill():
    completion = "four</think> so <answer>4</answer>"
    start, end = score(completion, prefill="<think>\n").evidence["findings"][0]["span"]
    assert completion[start:end] == "so"
    assert score("4", prefill="<think>").evidence["findings"][0]["span"] == [0, 0]


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        (GOOD + "<|im_end|>", 1.0),
        (GOOD + "<|im_end|>\n<think>again</think>", 1.0),
        (GOOD + "<|endoftext|><|im_end|>", 1.0),
        (GOOD + "</s>", 0.0),
        ("<|im_end|>" + GOOD, 0.0),
        ("<think>a</think><|im_end|><answer>3</answer>", 0.0),
    ],
)
def test_text_from_the_first_special_token_on_is_cut(completion, expected):
    assert value(completion, special_tokens=["<|im_end|>", "<|endoftext|>"]) == expected


@pytest.mark.parametrize(
    ("completion", "strict", "expected"),
    [
        ("<think>Three lamps are lit.</think>\n\nThree.", True, 1.0),
        ("<think>a</think> b <answer>c</answer>", True, 1.0),
        ("<think>a</think>", True, 0.0),
        ("<think>a</think>  \n", True, 0.0),
        ("<think>a</think>\u200b...", True, 0.0),
        ("<think></think>b", True, 0.0),
        ("Hm. <think>a</think>b", True, 0.0),
        ("Hm. <think>a</think>b", False, 1.0),
        ("<think>a</think>b<think>c</think>d", True, 0.0),
        ("<think>a</think>b</think>", True, 0.0),
        ("<think>a b", True, 0.0),
        ("a b", True, 0.0),
    ],
)
def test_think_asks_for_one_block_and_text_after_it(completion, strict, expected):
    assert value(completion, format="think", strict=strict) == expected


@pytest.mark.parametrize(
    ("tags", "completion", "expected"),
    [
        (["answer"], "<answer>3</answer>", 1.0),
        (["answer"], "<think>a</think><answer>3</answer>", 0.0),
        (["caption", "think", "answer"], "<caption>c</caption><think>a</think><answer>3</answer>", 1.0),
        (["caption", "think", "answer"], "<think>a</think><caption>c</caption><answer>3</answer>", 0.0),
        (["a", "ab"], "<a>x</a><ab>y</ab>", 1.0),
        (["ab", "a"], "<ab>x</ab><a>y</a>", 1.0),
        (["a-b", "a"], "<a-b>x</a-b><a>y</a>", 1.0),
        (["Answer"], "<Answer>1</Answer>", 1.0),
        (["Answer"], "<answer>1</answer>", 0.0),
        (["check_list"], "<check_list>?</check_list>", 1.0),
    ],
)
def test_any_sequence_of_tags(tags, completion, expected):
    assert value(completion, tags=tags) == expected


@pytest.mark.parametrize(
    ("words", "expected"), [("one two", 0.0), ("one two three", 1.0), ("图中有", 1.0), ("- - - -", 0.0)]
)
def test_reasoning_can_be_asked_for_a_number_of_words(words, expected):
    assert value(f"<think>{words}</think><answer>1</answer>", min_reasoning=3) == expected


@pytest.mark.parametrize(
    ("answer", "inner", "expected"),
    [
        ("label: cat", {"format": "json"}, 0.0),
        ('{"label": "cat"}', {"format": "json", "schema": {"required": ["label"]}}, 1.0),
        ('{"name": "cat"}', {"format": "json", "schema": {"required": ["label"]}}, 0.0),
        ("so \\boxed{3}", {"format": "boxed"}, 1.0),
        ("so 3", {"format": "boxed"}, 0.0),
        ('[{"bbox_2d": [1, 2, 3, 4]}]', {"format": "bbox", "syntax": "json_bbox_2d"}, 1.0),
        ('[{"bbox_2d": [1, 2, 3]}]', {"format": "bbox", "syntax": "json_bbox_2d"}, 0.0),
        ("B", {"format": "pattern", "pattern": "[A-D]"}, 1.0),
        ("B.", {"format": "pattern", "pattern": "[A-D]"}, 0.0),
        ("a red kite", {"format": "rules", "rules": [{"id": "keywords:exist", "keywords": ["kite"]}]}, 1.0),
        ("<name>x</name>", {"tags": ["name"]}, 1.0),
        ("<name></name>x", {"tags": ["name"]}, 0.0),
    ],
)
def test_the_answer_block_can_have_a_form_of_its_own(answer, inner, expected):
    completion = f"<think>a</think><answer>{answer}</answer>"
    found = score(completion, answer_format=inner)
    assert found.value == expected
    if not expected:
        assert found.reason.startswith("answer_format: ")
        start, end = found.evidence["findings"][0]["span"]
        assert completion.index(answer) <= start <= end <= completion.index("</answer>")


def test_the_text_after_think_can_have_a_form_too():
    inner = {"format": "json"}
    assert value("<think>a</think>\n[1]", format="think", answer_format=inner) == 1.0
    assert value("<think>[1]</think>\nno", format="think", answer_format=inner) == 0.0


def test_partial_credit_counts_parts_and_nothing_is_worth_nothing():
    config = {"partial": True, "answer_format": {"format": "json"}}
    assert value("", **config) == value("words", **config) == value("<think></think>", **config) == 0.0
    assert value("<think>a</think>", **config) == pytest.approx(1 / 5)
    assert value("<think>a</think><answer>3", **config) == pytest.approx(1 / 5)
    assert value("<answer>3</answer><think>a</think>", **config) == pytest.approx(4 / 5)
    assert value("<think>a</think> so <answer>x</answer>", **config) == pytest.approx(3 / 5)
    assert value("<think>a</think><answer>3</answer>", **config) == 1.0
    assert value("<think></think>" * 20 + "<answer></answer>" * 20, **config) == 0.0


def test_the_share_of_parts_is_a_metric_without_partial_too():
    found = score("<think>a</think> so <answer>x</answer>")
    assert (found.value, found.metrics) == (0.0, {"partial": 0.75})
    assert found.evidence["parts"] == {"think": True, "answer": True, "order": True, "alone": False}


TAGS = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<answer>",
        "</answer>",
        "<THINK>",
        "<thinK>",
        "<anſwer>",
        "< think>",
        "<think",
        "a",
        " ",
        "\n",
        "…",
        "\ud800",
    ]
)


@given(st.lists(TAGS, max_size=12).map("".join), st.booleans(), st.sampled_from(["think_answer", "think"]))
def test_any_mix_of_tags_is_judged_without_an_exception(completion, strict, form):
    whole = score(completion, format=form, strict=strict)
    partial = score(completion, format=form, strict=strict, partial=True)
    assert whole.value in (0.0, 1.0)
    assert 0.0 <= partial.value <= 1.0
    assert (whole.value == 1.0) is (partial.value == 1.0)
    if whole.value == 1.0:
        assert completion.count("<think>") == completion.count("</think>") == 1
        assert value(completion, format=form, strict=False) == 1.0
