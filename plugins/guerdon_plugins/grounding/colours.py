"""Claims about colours, held against the pixels of the picture or a list in the reference."""

import re
from functools import lru_cache

import numpy as np
from PIL import Image

from guerdon import LazyImage
from guerdon_plugins.boxes import Box

MIN_SHARE = 0.04
"""A colour that fills less of the region than this is not there."""

_NAMES = {
    "red": "red|crimson|scarlet|红|紅",
    "orange": "orange|橙|橘",
    "yellow": "yellow|golden|黄|黃",
    "green": "green|绿|綠",
    "teal": "teal|cyan|turquoise|青",
    "blue": "blue|navy|蓝|藍",
    "purple": "purple|violet|magenta|紫",
    "pink": "pink|粉",
    "brown": "brown|棕|褐",
    "black": "black|黑",
    "white": "white|白",
    "grey": "gr[ea]y|silver|灰",
}
_WORD_OF = {
    name: re.compile(
        "|".join(part if ord(part[0]) > 127 else rf"\b{part}(?:d?ish)?\b" for part in words.split("|")), re.IGNORECASE
    )
    for name, words in _NAMES.items()
}
COLOURS = frozenset(_NAMES)


def named_colours(text: str) -> dict[str, str]:
    """Return the colours that a text names, each with the first word for it."""
    found = {name: pattern.search(text) for name, pattern in _WORD_OF.items()}
    return {name: match[0] for name, match in found.items() if match}


@lru_cache(maxsize=256)
def colours_of(image: LazyImage, region: Box | None) -> frozenset[str]:
    """Return the colours that fill at least `MIN_SHARE` of the picture, or of a box in it (pixels).

    Borderline pixels count for both neighbours, such as red and orange.

    Raises:
        DataError: the picture cannot be read.
    """
    picture = image.open()
    if region is not None:
        left, top, right, bottom = region
        picture = picture.crop((int(max(0, left)), int(max(0, top)), int(right + 1), int(bottom + 1)))
    picture.thumbnail((128, 128), Image.Resampling.NEAREST)
    return frozenset(
        name
        for name, mask in _masks(np.asarray(picture.convert("HSV"), dtype=np.float64)).items()
        if mask.mean() >= MIN_SHARE
    )


def _masks(
    hsv: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    hue, saturation, value = hsv[..., 0] * 360 / 255, hsv[..., 1] / 255, hsv[..., 2] / 255
    vivid = (saturation >= 0.2) & (value >= 0.15)

    def between(low: float, high: float) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        return vivid & (hue >= low) & (hue <= high)

    grey, reddish = saturation <= 0.2, between(0, 14) | between(350, 360)
    return {
        "red": (between(0, 18) | between(340, 360)) & (saturation >= 0.4),
        "orange": between(12, 45) & (value >= 0.6),
        "yellow": between(42, 70),
        "green": between(65, 175),
        "teal": between(155, 205),
        "blue": between(190, 262),
        "purple": between(255, 330),
        "pink": (between(305, 350) | reddish & (saturation <= 0.5)) & (value >= 0.75),
        "brown": (between(14, 45) | reddish & (saturation <= 0.85)) & (value <= 0.75),
        "black": value <= 0.2,
        "white": grey & (value >= 0.85),
        "grey": grey & (value > 0.15) & (value < 0.9),
    }
