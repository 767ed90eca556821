"""What goes to a rollout engine: messages with pictures in them, and tokens that may not be drawn."""

import base64
import io

import pytest
from PIL import Image

from guerdon import LazyImage
from guerdon.manifest import Prompt
from guerdon_trainer.sampling import FORBIDDEN, data_url, forbidden_ids, openai_messages


class Tokenizer:
    def get_vocab(self):
        return {"a": 0, "<|vision_end|>": 9, "<|image_pad|>": 5, "b": 1}


def test_only_forbidden_tokens_that_exist_are_listed():
    assert forbidden_ids(Tokenizer()) == [5, 9]


def test_the_shipped_model_has_all_of_them(processor):
    assert len(forbidden_ids(processor.tokenizer)) == len(FORBIDDEN)
    assert processor.image_token_id in forbidden_ids(processor.tokenizer)


@pytest.mark.parametrize(("kind", "named"), [("PNG", "png"), ("JPEG", "jpeg"), ("WEBP", "webp")])
def test_a_data_url_has_the_bytes_and_their_kind(kind, named, tmp_path):
    path = tmp_path / "picture"
    Image.new("RGB", (4, 4)).save(path, kind)
    head, _, body = data_url(LazyImage(str(path))).partition(",")
    assert head == f"data:image/{named};base64"
    assert base64.b64decode(body) == path.read_bytes()


def test_pictures_take_their_places_in_order(pictures):
    a, b = pictures[:2]
    image = {"type": "image", "image": "ignored.png"}
    prompt = Prompt(
        "p",
        [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": [image, {"type": "text", "text": "and"}, image]},
        ],
        {},
        {},
        (a, b),
    )
    system, user = openai_messages(prompt)
    assert system == {"role": "system", "content": "be brief"}
    first, text, second = user["content"]
    assert text == {"type": "text", "text": "and"}
    for part, picture in ((first, a), (second, b)):
        assert part["type"] == "image_url"
        body = base64.b64decode(part["image_url"]["url"].partition(",")[2])
        assert Image.open(io.BytesIO(body)).size == picture.size()
    assert prompt.messages[1]["content"][0] is image, "the prompt is left as it was"
