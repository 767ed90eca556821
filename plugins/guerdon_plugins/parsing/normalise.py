"""Folding away what does not change a short answer."""

import re
import unicodedata
from collections.abc import Collection
from typing import Literal

type Fold = Literal["case", "edge_punctuation", "spaces", "nfkc"]
ALL_FOLDS: tuple[Fold, ...] = ("case", "edge_punctuation", "spaces", "nfkc")

_EDGE = " \t\r\n.,;:!?'\"`“”‘’„«»‹›「」『』《》()[]{}*_~。，；：！？、（）【】…"
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad\u202a-\u202e]")
MAX_LENGTH = 100_000
"""A longer text is no short answer; it is cut before it is compared."""


def normalise(text: str, folds: Collection[Fold] = ALL_FOLDS) -> str:
    """Fold letter case, punctuation at the ends, runs of white space, and compatible characters.

    Outer white space and invisible characters always go. Signs that carry meaning (``-5``,
    ``C++``, ``50%``, ``$5``, ``#3``) are no punctuation here.
    """
    text = _INVISIBLE.sub("", text[:MAX_LENGTH]).strip()
    if "nfkc" in folds:
        text = unicodedata.normalize("NFKC", text)
    if "spaces" in folds:
        text = " ".join(text.split())
    if "edge_punctuation" in folds:
        text = text.strip(_EDGE)
    return text.casefold() if "case" in folds else text
