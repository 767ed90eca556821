"""Text that is read from the picture."""

import base64
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from guerdon import Abstain, LazyImage, Sample
from guerdon_plugins.grounding import Grounding
from guerdon_plugins.grounding.fold import fold_label, fold_text


def value(completion, *texts, kind="ocr", **config):
    return Grounding(**config).score(Sample("g/0", completion, reference={"type": kind, "texts": list(texts)})).value


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("HME-204X", "HME-204X"),
        ('"HME-204X".', "HME-204X"),
        ("<answer> HME-204X </answer>", "HME-204X"),
        ("The answer is HME-204X.", "HME-204X"),
        ("ＨＭＥ－２０４Ｘ", "HME-204X"),
        ("New  York\nCity", "New York City"),
        ("出口", "出口"),
        ("<think>EXIT</think>出口", "出口"),
    ],
)
def test_exact(completion, text):
    assert value(completion, text) == 1.0
    assert value(completion, "something else", text) == 1.0
    assert value(completion, "something else") == 0.0


def test_case_and_spaces_matter_unless_ignored():
    assert value("hme-204x", "HME-204X") == 0.0
    assert value("hme-204x", "HME-204X", ignore_case=True) == 1.0
    assert value("HME - 204X", "HME-204X") == 0.0
    assert value("HME - 204X", "HME-204X", ignore_space=True) == 1.0


def test_anls():
    assert value("HME-204Y", "HME-204X", metric="anls") == pytest.approx(7 / 8)
    assert value("HME-204X", "HME-204X", metric="anls") == 1.0
    assert value("an entirely unrelated caption", "q", metric="anls") == 0.0
    assert value("ab", "abcd", metric="anls", tau=0.5) == 0.5
    assert value("ab", "abcd", metric="anls", tau=0.6) == 0.0
    assert value("", "abcd", metric="anls", tau=0.0) == 0.0


def test_quoted_present():
    known = ("PUSH", "OPEN 9-17")
    assert value('It says "Open 9-17".', *known, kind="ocr_present", metric="quoted_present", ignore_case=True) == 1.0
    assert value('It says "Open 9-17".', *known, kind="ocr_present", metric="quoted_present") == 0.0
    assert value("“PUSH” and «PULL»", *known, metric="quoted_present") == 0.5
    assert value("「PUSH」", *known, metric="quoted_present") == 1.0
    assert value("the door's sign isn't clear", *known, metric="quoted_present") == 0.0
    assert value("PUSH", *known, metric="quoted_present") == 0.0


def test_present_is_the_default_for_its_type():
    assert value("The sign reads PUSH, then OPEN 9-17.", "PUSH", "OPEN 9-17", kind="ocr_present") == 1.0
    assert value("The sign reads PUSH.", "PUSH", "OPEN 9-17", kind="ocr_present") == 0.5
    assert value("PUSHING it", "PUSH", kind="ocr_present") == 0.0
    assert value("写着出口两个字", "出口", kind="ocr_present") == 1.0


def test_reasoning_is_no_reading():
    assert value('<think>"PUSH"</think>nothing', "PUSH", metric="quoted_present") == 0.0
    assert value("<think>PUSH", "PUSH") == 0.0


@pytest.mark.parametrize("texts", [None, [], "PUSH", [""], ["  "], [3], [None]])
def test_a_bad_reference_is_unscorable(texts):
    verdict = Grounding().score(Sample("g/0", "PUSH", reference={"type": "ocr", "texts": texts}))
    assert isinstance(verdict, Abstain)


def test_a_long_answer_is_no_text():
    assert value("PUSH " * 5000, "PUSH", metric="anls", tau=0.0) == 0.0


def test_too_many_quotes_are_guesses():
    quotes = " ".join(f'"w{i}"' for i in range(300)) + ' "PUSH"'
    assert value(quotes, "PUSH", metric="quoted_present") == 0.0


@given(st.text(max_size=200), st.sampled_from(["exact", "anls", "present", "quoted_present"]))
def test_any_text_stays_in_range(text, metric):
    assert 0.0 <= value(text, "PUSH", "出口", metric=metric, tau=0.0) <= 1.0


@given(st.text(max_size=100))
def test_folding_twice_changes_nothing(text):
    assert fold_text(fold_text(text)) == fold_text(text)
    assert fold_label(fold_label(text)) == fold_label(text)


def sign(text):
    image = Image.new("RGB", (320, 120), "white")
    ImageDraw.Draw(image).text((20, 30), text, fill="black", font=ImageFont.load_default(40))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return LazyImage("data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode())


def test_claims_are_held_against_the_picture_itself():
    pytest.importorskip("rapidocr")
    pytest.importorskip("onnxruntime")
    reward = Grounding(kind="ocr", texts_from="picture", metric="quoted_present", ignore_case=True)
    assert reward.isolation == "process"
    reward.prepare()
    image = sign("OPEN 9-17")

    def seen(completion):
        return reward.score(Sample("g/0", completion, images=[image]))

    assert seen('It says "open 9-17".').value == 1.0
    assert seen('It says "closed".').value == 0.0
    assert seen('It says "closed".').evidence["texts"] == ["OPEN 9-17"]
    assert isinstance(reward.score(Sample("g/0", '"open"')), Abstain)
