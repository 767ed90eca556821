"""Finding the boxes and points that a text names, in the notations that models write.

Read are JSON objects and lists (fenced or not, also with single quotes), the box and reference tags
of Qwen and InternVL, corner pairs ``(x1,y1),(x2,y2)``, calls such as ``click(640, 250)`` and named
coordinates. Nothing is evaluated. One pass over the text, in time linear in its length.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from guerdon_plugins.boxes import Order

MAX_TOKENS = 50_000
"""A text with more brackets, keys and tags than this is no answer."""

_N = r"[-+]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][-+]?\d{1,4})?"
_LABEL_KEYS = "label|name|class|category|object|phrase|description|类别|标签|名称"
_TOKEN = re.compile(
    rf"""(?P<q>["'])(?:{_LABEL_KEYS})(?P=q)\s{{0,20}}:\s{{0,20}}"""
    r"""(?P<w>["'])(?P<label>(?:(?!(?P=w))[^\\\n]|\\.){0,200}+)(?P=w)"""
    rf"""|["'](?P<name>[a-z_]{{1,12}}[12]?)["']\s{{0,20}}:\s{{0,20}}(?P<value>{_N})(?![\w.])"""
    r"""|(?P<p>["'])(?P<key>(?:(?!(?P=p))[^\\\n]){1,100}+)(?P=p)\s{0,20}:"""
    r"""|[\[(](?P<group>[^\[\](){}<>]{0,160})[\])]"""
    r"""|<(?:\|box_start\||box|bbox|point|\|point_start\|)>(?P<tagged>[^\[\](){}<>]{1,160})<"""
    r"""|<(?:\|object_ref_start\||ref)>(?P<ref>[^<]{0,200})<"""
    rf"""|\bx\s?=\s?["']?(?P<x>{_N})["']?[,;\s]{{1,4}}y\s?=\s?["']?(?P<y>{_N})(?![\w.])"""
    rf"""|\bx1\s?[=:]\s?(?P<x1>{_N})[,;\s]{{1,4}}y1\s?[=:]\s?(?P<y1>{_N})"""
    rf"""[,;\s]{{1,4}}x2\s?[=:]\s?(?P<x2>{_N})[,;\s]{{1,4}}y2\s?[=:]\s?(?P<y2>{_N})(?![\w.])"""
    rf"""|\b(?:bbox(?:_2d)?|bounding\sbox|box|coordinates?)["'*_]{{0,3}}\s?(?:is|are|at|=|:)\s{{0,3}}"""
    rf"""(?P<loose>{_N}(?:\s?[,;\s]\s?{_N}){{3}})(?![\w.,])"""
    r"""|(?P<brace>[{}])""",
    re.ASCII | re.IGNORECASE,
)
_BARE = re.compile(rf"\s*({_N}(?:[,;\s]{{1,4}}{_N}){{1,3}})\s*\.?\s*", re.ASCII)
_ITEM = re.compile(rf"(?:([a-z_]{{1,12}}[12]?)\s?[=:]\s?)?({_N})", re.ASCII | re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*[,;，；、]\s*|\s+")
_JOINED = re.compile(
    r"[\s,;]{0,20}(?:(?:to|and|-|->|→)\s{0,5})?"
    r"(?:(?:the )?(?:bottom|lower)[- ]right(?: corner)?(?: at| is|:| =)?\s{0,5})?",
    re.IGNORECASE,
)
"""What may stand between the two corners of a box."""

_NO_NUMBER = frozenset({"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "null", "none"})
_BOX_KEYS = frozenset({"bbox_2d", "bbox", "box", "box_2d", "bounding_box", "boundingbox", "boxes", "bboxes"})
_PLAIN_KEYS = _BOX_KEYS | {"point_2d", "point", "points", "coordinate", "coordinates", "position", "answer", "output"}

_NAMED: tuple[tuple[tuple[str, ...], Order], ...] = (
    (("x1", "y1", "x2", "y2"), "xyxy"),
    (("xmin", "ymin", "xmax", "ymax"), "xyxy"),
    (("x_min", "y_min", "x_max", "y_max"), "xyxy"),
    (("left", "top", "right", "bottom"), "xyxy"),
    (("x", "y", "w", "h"), "xywh"),
    (("x", "y", "width", "height"), "xywh"),
    (("left", "top", "width", "height"), "xywh"),
    (("cx", "cy", "w", "h"), "cxcywh"),
    (("x", "y"), "xyxy"),
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A box or point as the text writes it."""

    numbers: tuple[float, ...]
    """Four finite numbers for a box, two for a point, none for what should be a box and is not."""

    start: int
    end: int
    label: str = ""
    order: Order | None = None
    """The order that named coordinates (``"x1": ...``) state; None where none is stated."""


class TooManyMarksError(ValueError):
    """The text has more structure than `MAX_TOKENS`, or more marks than the caller's limit."""


def find_marks(text: str, limit: int) -> list[Mark]:
    """Return the boxes and points that `text` names, in order.

    Raises:
        TooManyMarksError: there are more than `limit`.
    """
    if len(text) <= 400 and (bare := _BARE.fullmatch(text)) and (mark := _mark(bare[1], bare.span(1), "")):
        return [mark]
    reader = _Reader(limit)
    for count, token in enumerate(_TOKEN.finditer(text)):
        if count >= MAX_TOKENS:
            raise TooManyMarksError(f"more than {MAX_TOKENS} brackets, keys and tags")
        reader.take(token)
    reader.finish(len(text))
    return reader.marks


def boxes_among(marks: Sequence[Mark], text: str) -> list[Mark]:
    """Keep the boxes; two points side by side are the corners of one, other points are none."""
    found: list[Mark] = []
    for chain in _chains(marks, text):
        if len(chain) == 2:
            first, second = chain
            found.append(replace(first, numbers=first.numbers + second.numbers, end=second.end))
        elif len(chain[0].numbers) != 2:
            found += chain
    return found


def _chains(marks: Sequence[Mark], text: str) -> Iterator[list[Mark]]:
    """Group points between which only commas and spaces stand; everything else stays alone."""
    chain: list[Mark] = []
    for mark in marks:
        if chain and not _continues(chain[-1], mark, text):
            yield chain
            chain = []
        chain.append(mark)
    if chain:
        yield chain


def _continues(before: Mark, after: Mark, text: str) -> bool:
    points = len(before.numbers) == len(after.numbers) == 2
    return points and _JOINED.fullmatch(text, before.end, after.start) is not None


def _mark(content: str, span: tuple[int, int], key: str) -> Mark | None:
    """Read what stands between two brackets; None if it is about something else."""
    items = _SEPARATOR.split(content.strip())
    found = [_ITEM.fullmatch(item) for item in items] if len(items) <= 8 else [None]
    numbers = tuple(float(match[2]) for match in found if match)
    claimed = key.lower() in _BOX_KEYS and content.strip() != ""
    if len(numbers) != len(items):
        broken = len(items) == 4 and all(m or i.lower() in _NO_NUMBER for m, i in zip(found, items, strict=True))
        return Mark((), *span) if broken or claimed else None
    if len(numbers) in (2, 4) and all(map(isfinite, numbers)):
        order = _order_of(tuple(match[1] or "" for match in found if match))
        return Mark(numbers, *span, order=order)
    return Mark((), *span) if claimed or len(numbers) == 4 else None


def _order_of(names: tuple[str, ...]) -> Order | None:
    lowered = tuple(name.lower() for name in names)
    return next((order for known, order in _NAMED if known == lowered), None)


@dataclass(slots=True)
class _Object:
    """A JSON object that is being read."""

    start: int
    first: int
    """Index of the first mark inside."""

    label: str = ""
    fields: dict[str, float] = field(default_factory=dict)


class _Reader:
    """Turns tokens into marks; keeps the objects that are open."""

    def __init__(self, limit: int) -> None:
        self.marks: list[Mark] = []
        self._limit = limit
        self._open: list[_Object] = []
        self._key = ""
        self._ref = ""

    def take(self, token: re.Match[str]) -> None:
        match token.lastgroup:
            case "brace":
                self._brace(token)
            case "label" if self._open:
                self._open[-1].label = token["label"].replace("\\", "")
            case "value" if self._open:
                self._open[-1].fields[token["name"].lower()] = float(token["value"])
            case "key":
                self._key = token["key"]
            case "ref":
                self._ref = token["ref"].strip()
            case "y":
                self._add(Mark((float(token["x"]), float(token["y"])), *token.span()))
            case "y2":
                self._add(
                    Mark(tuple(float(token[name]) for name in ("x1", "y1", "x2", "y2")), *token.span(), order="xyxy")
                )
            case "group" | "tagged" | "loose" as kind:
                if mark := _mark(token[kind], token.span(), self._key):
                    self._add(replace(mark, label=self._label()))

    def finish(self, end: int) -> None:
        while self._open:
            self._close(end)

    def _label(self) -> str:
        return self._ref or ("" if self._key.lower() in _PLAIN_KEYS else self._key)

    def _brace(self, token: re.Match[str]) -> None:
        self._key = ""
        if token[0] == "{":
            self._open.append(_Object(token.start(), len(self.marks)))
        elif self._open:
            self._close(token.end())

    def _add(self, mark: Mark) -> None:
        if len(self.marks) >= self._limit:
            raise TooManyMarksError(f"more than {self._limit} boxes or points")
        self.marks.append(mark)

    def _close(self, end: int) -> None:
        done = self._open.pop()
        for names, order in _NAMED:
            if done.fields.keys() >= set(names):
                self._add(Mark(tuple(done.fields[name] for name in names), done.start, end, order=order))
                break
        if done.label:
            self.marks[done.first :] = [replace(mark, label=done.label) for mark in self.marks[done.first :]]
