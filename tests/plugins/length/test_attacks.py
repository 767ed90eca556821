"""Known ways to escape a penalty, or to earn by being short, each of which must fail."""

import pytest

from guerdon import Sample
from guerdon_plugins.length import Length

REPETITION = {"component": "repetition", "ngram": 3}
DUPLICATES = {"component": "duplicates"}
FILLER = {"component": "filler"}
SENTENCE = "I look at the chart again. "

EVASIONS = {
    "a loop of one word": (REPETITION, "really " * 60),
    "a loop in changing case": (REPETITION, "really REALLY Really " * 20),
    "a loop in full width": (REPETITION, "really ｒｅａｌｌｙ " * 30),
    "a loop joined by zero width": (REPETITION, "really\u200b" * 60),
    "a loop with zero width inside": (REPETITION, "rea\u200blly " * 60),
    "a loop joined by the blank letter": (REPETITION, "really\u3164" * 60),
    "a loop with combining marks": (REPETITION, "".join("really" + chr(0x300 + i) + " " for i in range(60))),
    "a loop without spaces": (REPETITION, "再看看" * 20),
    "a loop in Thai": (REPETITION, "ดูอีก" * 20),
    "a loop of signs": (REPETITION, "?!" * 60),
    "a loop of emoji": (REPETITION, "😀🎉" * 40),
    "a loop with changing spaces": (REPETITION, "".join("look again" + " " * (i % 7 + 1) for i in range(40))),
    "a loop of lines": (REPETITION, "look again\n\n" * 40),
    "a repeated sentence": (DUPLICATES, SENTENCE * 10),
    "a repeated sentence with numbers": (DUPLICATES, "".join(f"{i}. {SENTENCE}\n" for i in range(10))),
    "a repeated sentence as steps": (DUPLICATES, "".join(f"Step {i}: {SENTENCE}" for i in range(10))),
    "a repeated sentence in changing case": (DUPLICATES, (SENTENCE + SENTENCE.upper()) * 5),
    "a repeated sentence with other ends": (
        DUPLICATES,
        "".join(SENTENCE[:-2] + end for end in (". ", "! ", "? ", "\n") * 3),
    ),
    "a repeated sentence in bullets": (DUPLICATES, "".join(f"{b} {SENTENCE}\n" for b in "-*•#" * 3)),
    "a repeated Chinese sentence": (DUPLICATES, "我再看一遍图表。" * 10),
    "nothing but courtesy": (FILLER, "Sure! Great question. I hope this helps. Feel free to ask."),
    "courtesy in Chinese": (FILLER, "好的，这是一个很好的问题。希望这对你有帮助。"),
    "courtesy in capitals": (FILLER, "GREAT QUESTION. LET ME THINK STEP BY STEP."),
    "courtesy with curly apostrophes": (FILLER, "That’s a great question. It’s important to note that"),
}


@pytest.mark.parametrize("name", EVASIONS)
def test_evasion(name):
    config, completion = EVASIONS[name]
    assert Length(**config).score(Sample("s", completion)).value < -0.5


@pytest.mark.parametrize(
    "completion",
    [
        "The chart compares rainfall in four cities, and Bergen has by far the tallest bar.",
        "图中左侧有一只灰色的猫，右侧的窗台上放着两盆绿色植物。",
        "First I read the axis. Then I compare the bars. The second bar is the tallest, so the answer is B.",
        '[{"bbox_2d": [1, 2, 30, 40], "label": "cup"}, {"bbox_2d": [50, 8, 90, 60], "label": "plate"}]',
    ],
)
def test_no_false_alarm(completion):
    for config in (REPETITION, DUPLICATES, FILLER):
        assert Length(**config).score(Sample("s", completion)).value > -0.25


@pytest.mark.parametrize("completion", ["", "4", "Yes.", "好", "\u200b", "😀"])
@pytest.mark.parametrize(
    "config", [REPETITION, DUPLICATES, FILLER, {"max_len": 100}, {"component": "cosine", "max_len": 100}]
)
def test_brevity_and_silence_earn_nothing(config, completion):
    assert Length(**config).score(Sample("s", completion, token_count=1)).value <= 0.0


def test_silence_does_not_escape_a_target():
    reward = Length(component="target", min_len=50, max_len=100, cache_len=10)
    assert reward.score(Sample("s", "", token_count=0)).value == -1.0


def test_long_words_do_not_hide_tokens_and_short_tokens_do_not_hide_characters():
    reward = Length(max_len=100, cache_len=20)
    assert reward.score(Sample("s", "x", token_count=200)).value == -1.0
    assert reward.score(Sample("s", "x" * 10_000, token_count=50)).value == 0.0


def test_text_after_the_end_token_neither_costs_nor_dilutes():
    metadata = {"token_ids": [1, 2, 1, 2, 1, 2, 99, *range(100, 200)], "eos_token_id": 99}
    found = Length(component="repetition", ngram=2).score(Sample("s", "x", metadata=metadata))
    assert found.value == pytest.approx(-0.5)
    assert Length(max_len=10, cache_len=2).score(Sample("s", "x", metadata=metadata)).value == 0.0


def test_padding_does_not_dilute_a_loop():
    metadata = {"token_ids": [1, 2, 1, 2, 1, 2, *([0] * 100)], "pad_token_id": 0}
    assert Length(component="repetition", ngram=2).score(Sample("s", "x", metadata=metadata)).value == pytest.approx(
        -0.6
    )
