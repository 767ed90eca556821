"""A million characters or tokens, whatever they are, take bounded time and memory."""

import json
import time
import tracemalloc

import pytest

from guerdon import Sample
from guerdon_plugins.length import Length

pytestmark = pytest.mark.bounds

SIZE = 1_000_000
REWARDS = [
    {"component": "repetition", "ngram": 4},
    {"component": "repetition", "ngram": 200},
    {"component": "duplicates"},
    {"component": "filler"},
    {"max_len": 10, "unit": "words"},
    {"max_len": 10, "unit": "characters"},
]


def fill(piece):
    return piece * (SIZE // len(piece))


TEXTS = {
    "one word": fill("really "),
    "one letter": fill("a"),
    "different words": " ".join(map(str, range(SIZE // 7))),
    "Chinese": fill("再看看"),
    "different characters": "".join(map(chr, range(0x80, 0xD800))) * 18,
    "spaces": fill(" "),
    "newlines": fill("\n "),
    "dots": fill("."),
    "dots in words": fill("...a"),
    "sentences": fill("It is so. "),
    "different sentences": "".join(f"It is {i}. " for i in range(SIZE // 12)),
    "bullets": fill("- a b c\n"),
    "interjections": fill("wait, "),
    "filler": fill("I hope this helps. "),
    "nearly filler": fill("i hope this "),
    "ligatures": fill("\ufdfa"),
    "combining": "a" + fill("\u0301"),
    "zero width": fill("\u200b"),
    "surrogates": fill("\ud800"),
    "emoji": fill("😀"),
    "brackets": fill("[],"),
    "sharp s": fill("ß"),
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_million_characters_take_bounded_time(text):
    sample = Sample("s", TEXTS[text])
    for config in REWARDS:
        reward = Length(**config)
        begin = time.process_time()
        found = reward.score(sample)
        assert time.process_time() - begin < 5
        assert -1.0 <= found.value <= 0.0
        assert len(json.dumps(dict(found.evidence), allow_nan=False)) < 20_000


@pytest.mark.parametrize(
    "ids", [[7] * SIZE, list(range(SIZE)), [i % 1000 for i in range(SIZE)], [[1, 2, 0] * 333] * 1000]
)
def test_a_million_tokens_take_bounded_time(ids):
    sample = Sample("s", "x", metadata={"token_ids": ids, "pad_token_id": 0, "eos_token_id": -1})
    for config in (
        {"max_len": 10},
        {"component": "repetition", "ngram": 4},
        {"component": "repetition", "ngram": 1000},
    ):
        begin = time.process_time()
        assert -1.0 <= Length(**config).score(sample).value <= 0.0
        assert time.process_time() - begin < 5


@pytest.mark.parametrize("text", ["Chinese", "different words"])
@pytest.mark.parametrize("config", REWARDS[:4], ids=lambda config: f"{config['component']}{config.get('ngram', '')}")
def test_a_million_characters_take_bounded_memory(text, config):
    sample, reward = Sample("s", TEXTS[text]), Length(**config)
    reward.score(Sample("s", "warm up"))
    tracemalloc.start()
    try:
        reward.score(sample)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200e6
