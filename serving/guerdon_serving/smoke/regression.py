"""The prompts that every endpoint is asked: text, one image, several images, with answers that are known.

They are drawn here, so nothing is downloaded and every model meets the same bytes.
"""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageDraw

from guerdon import DataError, LazyImage
from guerdon.manifest import Prompt, read_manifest
from guerdon_serving.client import data_url

COLOURS: Final = ("red", "green", "blue", "yellow")
SHAPES: Final = {"circle": "ellipse", "rectangle": "rectangle"}
SIZE: Final = 64


def regression_prompts(files: Sequence[Path], *, builtin: bool = True) -> list[Prompt]:
    """Return the built-in prompts and those of the manifests.

    Raises:
        DataError: a manifest cannot be read, an id stands in two, or a picture is not there.
    """
    prompts = list(_builtin()) if builtin else []
    for file in files:
        prompts += read_manifest(file)
    seen: set[str] = set()
    for prompt in prompts:
        if prompt.id in seen:
            raise DataError(f"the id {prompt.id!r} stands in two sets of prompts; rename it")
        seen.add(prompt.id)
        for image in prompt.images:
            image.size()
    return prompts


def _builtin() -> Iterator[Prompt]:
    """Yield 16 prompts of each modality; no picture stands in two, so that the prompts are independent."""
    for a, b in itertools.product((2, 3, 5, 7), (1, 4, 6, 8)):
        yield _prompt(f"sum-{a}-{b}", f"what is {a} plus {b}?", [], str(a + b))
    things = list(itertools.product(COLOURS, SHAPES))
    for number in range(16):
        colour, shape = things[number % len(things)]
        text, answer = (
            ("what color is the shape?", colour) if number % 2 else ("what shape does the image contain?", shape)
        )
        yield _prompt(f"one-{number}", text, [_picture(colour, shape, (number, 4))], answer)
    for number in range(16):
        first, second = things[number % len(things)], things[(number * 5 + 3) % len(things)]
        urls = [_picture(*first, (number, 12)), _picture(*second, (number, 24))]
        yield _prompt(f"two-{number}", "what color is the second shape?", urls, second[0])


def _prompt(name: str, text: str, urls: Sequence[str], answer: str) -> Prompt:
    content = [*({"type": "image", "image": url} for url in urls), {"type": "text", "text": text}]
    images = tuple(LazyImage(url) for url in urls)
    return Prompt(
        f"guerdon/{name}", [{"role": "user", "content": content}], {"type": "exact", "answer": answer}, {}, images
    )


def _picture(colour: str, shape: str, corner: tuple[int, int]) -> str:
    image = Image.new("RGB", (SIZE, SIZE), "white")
    left, top = corner
    getattr(ImageDraw.Draw(image), SHAPES[shape])((left, top, left + 36, top + 28), fill=colour)
    return data_url(image)


def openai_messages(prompt: Prompt) -> list[dict[str, Any]]:
    """Return the prompt as OpenAI's clients send it, pictures as PNG in data URLs."""
    images = iter(prompt.images)
    return [{"role": message["role"], "content": _content(message["content"], images)} for message in prompt.messages]


def _content(content: Any, images: Iterator[LazyImage]) -> Any:
    if isinstance(content, str):
        return content
    return [
        {"type": "image_url", "image_url": {"url": _url(next(images))}}
        if part["type"] == "image"
        else {"type": "text", "text": part["text"]}
        for part in content
    ]


def _url(image: LazyImage) -> str:
    if image.source.startswith("data:image/"):
        return image.source
    return data_url(image.open())
