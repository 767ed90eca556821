"""Any text ends soon, in range, without an exception. The bounds only guard against hangs."""

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Sample
from guerdon_plugins.grounding import Grounding

pytestmark = pytest.mark.bounds

N = 1_000_000
LARGE = {
    "letters": "a" * N,
    "spaces": " " * N,
    "digits": "9" * N,
    "brackets": "[" * N,
    "braces": "{" * N,
    "quotes": '"' * N,
    "apostrophes": "'" * N,
    "backslashes": "\\" * N,
    "boxes": "[1,2,3,4]" * 100_000,
    "points": "(1,2)," * 160_000,
    "deep lists": "[" * 100_000 + "1,2,3,4" + "]" * 100_000,
    "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "labels": '"label": "' * 100_000,
    "escapes": '"label":"\\' * 100_000,
    "open boxes": "<box>" * 200_000,
    "named": "x=1,y=1 " * 120_000,
    "thoughts": "<think>" * 150_000,
    "answers": "<answer>" * 120_000,
    "boxed": "\\boxed{" * 140_000,
    "declarations": "the answer is " * 70_000,
    "numbers": "5 " * 500_000,
    "words": "one " * 250_000,
    "han": "三" * N,
    "list": "1. a\n" * 200_000,
    "sizes": "640x480 " * 120_000,
    "quoted": '"PUSH" ' * 140_000,
    "full-width": "［" * N,
    "one huge number": "[" + "9" * N + ",1,2,3]",
}
REFERENCES = {
    "boxes": {"type": "boxes", "boxes": [[10, 20, 110, 220]], "ref_space": "abs"},
    "point_in_box": {"type": "point_in_box", "boxes": [[10, 20, 110, 220]], "ref_space": "abs"},
    "count": {"type": "count", "answer": 3},
    "ocr": {"type": "ocr", "texts": ["PUSH"]},
    "ocr_present": {"type": "ocr_present", "texts": ["PUSH"]},
    "metadata_claims": {"type": "metadata_claims", "check": ["size", "orientation", "image_count"]},
}
SIZE = {"image_width": 640, "image_height": 480, "image_count": 1}


def score(completion, reference, **config):
    return Grounding(pred_space="abs", **config).score(Sample("g/0", completion, reference=reference, metadata=SIZE))


@pytest.mark.parametrize("kind", REFERENCES)
@pytest.mark.parametrize("shape", LARGE)
def test_a_million_characters(shape, kind):
    start = time.process_time()
    verdict = score(LARGE[shape], REFERENCES[kind])
    assert time.process_time() - start < 20
    assert 0.0 <= verdict.value <= 1.0


def test_memory_stays_small():
    score("[1,2,3,4]", REFERENCES["boxes"])
    for shape in ("boxes", "deep lists", "deep objects", "braces", "full-width"):
        tracemalloc.start()
        score(LARGE[shape], REFERENCES["boxes"], match="hungarian_f1")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 100_000_000


def test_a_long_reasoning_does_not_hide_the_answer():
    assert score("<think>" + "a [1,2,3,4] " * 80_000 + "</think>[10, 20, 110, 220]", REFERENCES["boxes"]).value == 1.0
    assert score("<think>" + "1 2 3 " * 150_000 + "</think>3", REFERENCES["count"]).value == 1.0


def test_most_boxes_within_the_limit_are_matched_soon():
    grid = [[x, y, x + 10, y + 10] for x in range(0, 500, 25) for y in range(0, 375, 25)]
    reference = {"type": "boxes", "boxes": grid, "ref_space": "abs"}
    start = time.process_time()
    assert score(str(grid[::-1]), reference, match="hungarian_f1").value == 1.0
    assert time.process_time() - start < 20


@given(st.text(), st.sampled_from(sorted(REFERENCES)), st.sampled_from(["mean", "hungarian_f1", "map"]))
def test_any_text_is_scored_in_range(text, kind, match):
    verdict = score(text, REFERENCES[kind], match=match)
    assert 0.0 <= verdict.value <= 1.0


@given(
    st.text(alphabet="<>/think answer[](){},.:;\"'0123456789-+eE\\\n的三x", max_size=400),
    st.sampled_from(sorted(REFERENCES)),
)
def test_any_structured_text_is_scored_in_range(text, kind):
    verdict = score(text, REFERENCES[kind], class_aware=False)
    assert 0.0 <= verdict.value <= 1.0
