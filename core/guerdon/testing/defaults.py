"""Samples of each kind of reference, for a reward that is checked without any of its user's."""

import base64
import io
from functools import cache
from importlib.util import find_spec
from typing import Any

from guerdon.images import LazyImage
from guerdon.sample import Sample
from guerdon.testing.cases import Case

WIDTH, HEIGHT = 640, 480

_REFERENCES: dict[str, tuple[str, dict[str, Any]]] = {
    "choice": (
        "Which shape is left? A: a circle, B: a square, C: a star",
        {"answer": "B", "options": {"A": "circle", "B": "square", "C": "star"}},
    ),
    "choice-letters": ("Which panel shows growth?", {"type": "choice", "answer": "C", "options": ["A", "B", "C", "D"]}),
    "exact": ("What colour is the roof?", {"answer": "green"}),
    "exact-closed": ("Is the door open?", {"type": "exact", "answer": "yes", "choices": ["yes", "no"]}),
    "exact-no": ("Is the window open?", {"type": "exact", "answer": "no", "choices": ["yes", "no"]}),
    "numeric": ("What is the total in the chart?", {"answer": 42.5, "rel_tol": 0.01}),
    "numeric-whole": ("How many kilometres?", {"type": "numeric", "answer": 7}),
    "fields": ("Read the invoice.", {"answer": {"total": 12.5, "city": "Oslo", "paid": True}}),
    "boxes": ("Where is the cat?", {"boxes": [[64, 48, 320, 240]], "ref_space": "abs", "labels": ["cat"]}),
    "boxes-two": (
        "Where are the cups?",
        {
            "type": "boxes",
            "boxes": [[40, 40, 160, 160], [300, 200, 500, 400]],
            "ref_space": "abs",
            "labels": ["cup", "cup"],
        },
    ),
    "count": ("How many birds are there?", {"answer": 3}),
    "ocr": ("What does the sign say?", {"texts": ["STOP HERE"]}),
}


def default_cases() -> list[Case]:
    """Return a sample or two for each kind of reference; right completions are built from them."""
    kinds = dict(_REFERENCES)
    if find_spec("math_verify") is not None:
        kinds["math"] = ("Solve for x.", {"answer": "\\frac{3}{4}"})
    return [Case(_sample(name, question, reference)) for name, (question, reference) in kinds.items()]


def _sample(name: str, question: str, reference: dict[str, Any]) -> Sample:
    image = picture()
    content = [{"type": "image", "image": image.source}, {"type": "text", "text": question}]
    return Sample(
        f"{name}/0",
        "",
        [{"role": "user", "content": content}],
        {"type": name, **reference},
        images=(image,),
        metadata={"image_width": WIDTH, "image_height": HEIGHT},
        group_id=name,
    )


@cache
def picture() -> LazyImage:
    """Return a picture of two rectangles as a data URL."""
    from PIL import Image

    image = Image.new("RGB", (WIDTH, HEIGHT), (240, 240, 235))
    image.paste((200, 40, 40), (64, 48, 320, 240))
    image.paste((40, 80, 200), (300, 200, 500, 400))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return LazyImage("data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode())
