"""A million characters, whatever they are, take bounded time and memory, so `format` may run inline."""

import json
import subprocess
import sys
import time

import pytest

from guerdon import Sample
from guerdon_plugins.format import Format

pytestmark = pytest.mark.bounds

SIZE = 1_000_000
REWARDS = {
    "think_answer": {"reject_prompt_copy": True},
    "think": {"format": "think", "min_reasoning": 5},
    "boxed": {"format": "boxed", "strict": True, "reject_prompt_copy": True},
    "json": {
        "format": "json",
        "schema": {"items": {"type": "number", "multipleOf": 0.5}, "uniqueItems": True},
        "allow_fence": True,
    },
    "json in prose": {
        "format": "json",
        "allow_prose": True,
        "reject_prompt_copy": True,
        "schema": {"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}, "pattern": "^(a+)+$"},
    },
    "bbox special": {"format": "bbox", "syntax": "qwen_special", "strict": True},
    "bbox json": {"format": "bbox", "syntax": "json_bbox_2d"},
    "rules": {
        "format": "rules",
        "rules": [
            {"id": "keywords:exist", "keywords": ["kite", "a a"]},
            {"id": "keywords:forbid", "keywords": ["aaa"]},
            {"id": "count:sentences", "minimum": 1},
            {"id": "count:bullets", "maximum": 3},
        ],
    },
    "pattern": {"format": "pattern", "pattern": "(?s)<think>(.*a.*)*</think>"},
}


def fill(piece):
    return piece * (SIZE // len(piece))


TEXTS = {
    "tags": fill("<think>"),
    "closed tags": fill("<think></think>"),
    "halves of tags": fill("<think"),
    "an opener and blanks": "<" + " " * (SIZE - 1),
    "openers and blanks": fill("< "),
    "one huge block": f"<think>{fill('a ')}</think><answer>x</answer>",
    "boxes": fill("\\boxed{"),
    "nested boxes": fill("\\boxed{")[: SIZE // 2] + "}" * (SIZE // 14),
    "braces": fill("{"),
    "backslashes": fill("\\"),
    "openers": fill("["),
    "deep": "[" * (SIZE // 2) + "]" * (SIZE // 2),
    "lists": fill("[],"),
    "numbers": "[" + fill("1.5,")[:-1] + "]",
    "deep enough": fill("[" * 60 + "]" * 60),
    "objects": "[" + fill('{"a":1},')[:-8] + "1]",
    "broken strings": fill('["'),
    "one string": '"' + "a" * (SIZE - 3) + 'b"',
    "box tokens": fill("<|box_start|>"),
    "good box tokens": fill("<|box_start|>(1,2),(3,4)<|box_end|>"),
    "fences": fill("```json\n"),
    "bullets": fill("- a\n"),
    "dots": fill("...a"),
    "newlines": fill("\n "),
    "references": fill("&amp;"),
    "Chinese": fill("再看看"),
    "ligatures": fill("\ufdfa"),
    "combining": "a" + fill("\u0301"),
    "surrogates": fill("\ud800"),
    "emoji": fill("😀"),
}
PROMPT = [{"role": "user", "content": 'As <think> a </think><answer> b </answer>, \\boxed{x} or {"a": 1}'}]


@pytest.mark.parametrize("text", TEXTS)
def test_a_million_characters_take_bounded_time(text):
    sample = Sample("s", TEXTS[text], prompt=PROMPT)
    for config in REWARDS.values():
        reward = Format(**config)
        begin = time.process_time()
        found = reward.score(sample)
        assert time.process_time() - begin < 5
        assert found.value in (0.0, 1.0)
        assert len(json.dumps(dict(found.evidence), allow_nan=False)) < 20_000


MEASURE = """
import resource, sys
from guerdon import Sample
from guerdon_plugins.format import Format

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

rewards = [Format(), Format(format="boxed")]
rewards.append(Format(format="json", schema={{"items": {{"items": {{}}}}}}, allow_prose=True))
for reward in rewards:
    reward.score(Sample("s", "[]"))
before = peak()
for text in ({text},):
    for reward in rewards:
        reward.score(Sample("s", text))
print(peak() - before)
"""


@pytest.mark.parametrize(
    "text", ['"[" * 10**6', '"[" + "[]," * 333000 + "1]"', '"\\\\boxed{" * 10**5', '"<think>\\ufdfa" * 10**5']
)
def test_a_million_characters_take_bounded_memory(text):
    code = MEASURE.format(text=text)
    grown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert int(grown.stdout) < 200e6
