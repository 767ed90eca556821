"""Judging what a text says about the pictures as files: their size, orientation and number.

A check counts as right where the text makes such a claim and every such claim is true; a text that
says nothing about it earns nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from guerdon import Score
from guerdon_plugins.grounding.colours import named_colours
from guerdon_plugins.grounding.numerals import numbers_in

MAX_CLAIMS = 100
"""A text with more claims of one kind is a list of guesses."""

_PX = r"(?:\s{0,3}(?:px|pixels?|像素))?"
_SIZE = re.compile(
    rf"(?<![\d.,])(?P<w>\d{{2,6}}){_PX}(?:\s(?:wide|in width))?"
    rf"\s{{0,3}}(?:x|×|✕|\*|乘以?|by)\s{{0,3}}(?P<h>\d{{2,6}}){_PX}"
    r"(?![\d.]?\d|\s{0,2}(?:cm|mm|m|in|inch(?:es)?|ft|feet|grid|array|matrix|厘米|毫米|米|英寸)\b)",
    re.IGNORECASE,
)
_WIDTH = re.compile(
    rf"(?<![\d.,])(\d{{2,6}}){_PX}\s{{0,3}}(?:wide|in width|of width)\b"
    r"|\bwidth\s?(?:is|of|=|:|was)?\s{0,3}(\d{2,6})(?![\d.]?\d)|宽度?\s?(?:为|是|:|=)?\s?(\d{2,6})(?![\d.]?\d)",
    re.IGNORECASE,
)
_HEIGHT = re.compile(
    rf"(?<![\d.,])(\d{{2,6}}){_PX}\s{{0,3}}(?:high|tall|in height|of height)\b"
    r"|\bheight\s?(?:is|of|=|:|was)?\s{0,3}(\d{2,6})(?![\d.]?\d)|高度?\s?(?:为|是|:|=)?\s?(\d{2,6})(?![\d.]?\d)",
    re.IGNORECASE,
)

_SHAPE = r"(?P<{0}>portrait|landscape|square|vertical|horizontal|upright)"
_PICTURE = r"(?:images?|pictures?|photos?|photographs?|scans?|screenshots?|frames?|pages?|shots?)"
_ORIENTATION = re.compile(
    rf"\b{_SHAPE.format('a')}[- ](?:format|orientation|oriented|mode|layout|aspect|shaped?|{_PICTURE})\b"
    rf"|\b(?:orientation|format|layout)\s?(?:is|:|=|of|was)\s?(?:an?\s)?{_SHAPE.format('b')}\b"
    rf"|\b(?:in|is|are|it's|appears|orient(?:ed|ation))\s(?:(?:a|not|an)\s)?{_SHAPE.format('c')}\b(?!\s(?:of|line|stripe|bar|pole))"
    rf"|^\W{{0,5}}{_SHAPE.format('d')}\W{{0,5}}$"
    r"|\b(?P<tall>(?:taller|higher) than (?:it is )?wide)\b|\b(?P<wide>wider than (?:it is )?(?:tall|high))\b"
    r"|(?P<han>竖版|竖向|竖屏|纵向|横版|横向|横屏|正方形|方形)",
    re.IGNORECASE,
)
_ACTUAL = {
    **dict.fromkeys(("portrait", "vertical", "upright", "竖版", "竖向", "竖屏", "纵向"), "portrait"),
    **dict.fromkeys(("landscape", "horizontal", "横版", "横向", "横屏"), "landscape"),
    **dict.fromkeys(("square", "正方形", "方形"), "square"),
}
_NEGATED = re.compile(
    r"(?:\bnot|n't|n’t|\bnever|\brather than|\binstead of|不是|并非|而非)(?:\s(?:in|a|an|the|oriented)){0,3}\s{0,2}$",
    re.IGNORECASE,
)

_BOTH = re.compile(rf"\bboth\s(?:of\s)?(?:the\s|these\s)?{_PICTURE}\b|两[张幅]图", re.IGNORECASE)
_COUNTED = re.compile(rf"\s?(?:[a-z]{{1,15}}\s)?{_PICTURE}\b|\s?[张幅](?:图|照片|画|截图)", re.IGNORECASE)
_ONLY = re.compile(
    r"\b(?:only|just|exactly|single|is|of|contains?|with|given|see)\s(?:a\s)?$|[只仅有共]$", re.IGNORECASE
)
_ORDINALS = {
    word: rank
    for rank, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 1
    )
}
_HAN_ORDINALS = {char: rank for rank, char in enumerate("一二三四五六七八九十", 1)}
_RANKED = re.compile(
    rf"\b(?P<word>{'|'.join(_ORDINALS)})\s{_PICTURE}\b|\b{_PICTURE}\s(?P<digits>\d{{1,3}})\b|第(?P<han>[一二三四五六七八九十])[张幅]",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:the|these|those|all|across|between the)\s(?:images|pictures|photos|photographs|scans|screenshots)\b"
    rf"|\bthe other {_PICTURE}\b",
    re.IGNORECASE,
)
_SINGULAR = re.compile(
    r"\b(?:the|this)\s(?:image|picture|photo|photograph|scan|screenshot)\b|这张(?:图|照片)|图中", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Pictures:
    """The facts that claims are held against; None where nobody knows."""

    width: float | None
    height: float | None
    count: int | None
    colours: frozenset[str] | None = None
    """Names of the colours that are there."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a text says about the pictures."""

    text: str
    true: bool


def size_claims(text: str, pictures: Pictures) -> Iterator[Claim]:
    """Find claims about width and height in pixels."""
    for match in _SIZE.finditer(text):
        yield Claim(match[0], (float(match["w"]), float(match["h"])) == (pictures.width, pictures.height))
    rest = _SIZE.sub(" ", text)
    for pattern, actual in ((_WIDTH, pictures.width), (_HEIGHT, pictures.height)):
        for match in pattern.finditer(rest):
            yield Claim(match[0], float(match[match.lastindex or 0]) == actual)


def orientation_claims(text: str, pictures: Pictures) -> Iterator[Claim]:
    """Find claims about the orientation; "not landscape" is one too."""
    width, height = pictures.width or 0.0, pictures.height or 0.0
    actual = "square" if width == height else "portrait" if width < height else "landscape"
    for match in _ORIENTATION.finditer(text):
        kind = match.lastgroup or ""
        said = {"tall": "portrait", "wide": "landscape"}.get(kind) or _ACTUAL[match[kind].lower()]
        negated = " not " in match[0] or _NEGATED.search(text, max(0, match.start() - 30), match.start()) is not None
        yield Claim(match[0], (said == actual) != negated)


def count_claims(text: str, pictures: Pictures) -> Iterator[Claim]:
    """Find claims about how many pictures there are."""
    actual = pictures.count or 0
    for match in _BOTH.finditer(text):
        yield Claim(match[0], actual == 2)
    for number in numbers_in(text):
        noun = _COUNTED.match(text, number.end)
        if noun and (number.value != 1 or _ONLY.search(text, max(0, number.start - 20), number.start)):
            yield Claim(text[number.start : noun.end()], number.value == actual)
    for match in _RANKED.finditer(text):
        if (rank := _rank(match)) > 1:
            yield Claim(match[0], rank <= actual)
    for match in _SEVERAL.finditer(text):
        yield Claim(match[0], actual > 1)
    if actual == 1 and (single := _SINGULAR.search(text)):
        yield Claim(single[0], true=True)


def colour_claims(text: str, pictures: Pictures) -> Iterator[Claim]:
    """Find claims about colours, one for each colour."""
    for name, word in named_colours(text).items():
        yield Claim(word, name in (pictures.colours or ()))


def _rank(match: re.Match[str]) -> int:
    if match["word"]:
        return _ORDINALS[match["word"].lower()]
    return int(match["digits"]) if match["digits"] else _HAN_ORDINALS[match["han"]]


_FINDERS: Mapping[str, Callable[[str, Pictures], Iterator[Claim]]] = {
    "size": size_claims,
    "orientation": orientation_claims,
    "image_count": count_claims,
    "colour": colour_claims,
}
CHECKS = frozenset(_FINDERS)


def judge_claims(text: str, checks: Sequence[str], pictures: Pictures) -> Score:
    """Return the share of the checks about which the text says something, and nothing false."""
    claims = {check: list(islice(_FINDERS[check](text, pictures), MAX_CLAIMS + 1)) for check in checks}
    right = [
        check for check, found in claims.items() if 0 < len(found) <= MAX_CLAIMS and all(claim.true for claim in found)
    ]
    evidence = {
        check: [{"text": claim.text, "true": claim.true} for claim in found[:20]] for check, found in claims.items()
    }
    return Score(len(right) / len(claims), f"{len(right)} of {len(claims)} checks hold", evidence)
