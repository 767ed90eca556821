"""Boxes in the syntax that a model family documents."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from guerdon_plugins.boxes import is_well_formed, quad
from guerdon_plugins.format.content import says_something
from guerdon_plugins.format.json_form import read_whole
from guerdon_plugins.format.part import Part
from guerdon_plugins.parsing.json_text import find_json
from guerdon_plugins.parsing.span import Span

type Syntax = Literal["qwen_special", "json_bbox_2d"]
"""``qwen_special``: ``<|box_start|>(x1,y1),(x2,y2)<|box_end|>`` (Qwen2-VL);
``json_bbox_2d``: ``{"bbox_2d": [x1, y1, x2, y2], "label": ...}`` or a list of them (Qwen2.5-VL, Qwen3-VL)."""

MAX_BOXES = 1000
"""A text with more boxes is refused."""

_NUMBER = r"[ \t]{0,4}(\d{1,9}(?:\.\d{1,9})?)[ \t]{0,4}"
_CORNERS = re.compile(
    rf"[ \t]{{0,4}}\({_NUMBER},{_NUMBER}\)[ \t]{{0,4}},[ \t]{{0,4}}\({_NUMBER},{_NUMBER}\)[ \t]{{0,4}}", re.ASCII
)
_TOKEN = re.compile(r"<\|(box|object_ref)_(start|end)\|>")


@dataclass(frozen=True, slots=True)
class _Fault:
    reason: str
    start: int
    end: int


def judge_special(text: Span, *, strict: bool) -> list[Part]:
    """Judge boxes between special tokens: at least one, all well formed, every token paired.

    With `strict`, only white space stands outside the tokens.
    """
    return _part(next(_special_faults(text.text, strict=strict), None), text)


def judge_json_boxes(
    text: Span, *, allow_fence: bool, allow_prose: bool, exactly_one: bool, none_expected: bool
) -> list[Part]:
    """Judge ``bbox_2d`` objects, alone or in one list: at least one, all well formed.

    Args:
        text: the text to judge.
        allow_fence: one Markdown fence may stand around the JSON.
        allow_prose: other text may stand around it.
        exactly_one: only one JSON value may stand in the prose.
        none_expected: the reference has no boxes, so an empty list is an answer.
    """
    return _part(_json_fault(text.text, allow_fence, allow_prose, exactly_one, none_expected), text)


def _part(fault: _Fault | None, text: Span) -> list[Part]:
    if fault is None:
        return [Part("bbox")]
    return [Part("bbox", fault.reason, (text.start + fault.start, text.start + fault.end))]


def _special_faults(text: str, *, strict: bool) -> Iterator[_Fault]:
    opened: re.Match[str] | None = None
    position, boxes = 0, 0
    for token in _TOKEN.finditer(text):
        if token[2] == "start":
            if opened:
                yield _Fault(f"{token[0]} inside {opened[0]}", opened.start(), token.end())
            if strict and text[position : token.start()].strip():
                yield _Fault("text outside the boxes", position, token.start())
            opened = token
            continue
        if opened is None or opened[1] != token[1]:
            yield _Fault(f"{token[0]} without its start", token.start(), token.end())
            return
        if reason := _inside(token[1], text[opened.end() : token.start()]):
            yield _Fault(reason, opened.start(), token.end())
        boxes += token[1] == "box"
        opened, position = None, token.end()
    if opened:
        yield _Fault(f"{opened[0]} is never closed", opened.start(), len(text))
    yield from _end_faults(text, position, boxes, strict=strict)


def _end_faults(text: str, position: int, boxes: int, *, strict: bool) -> Iterator[_Fault]:
    if not 0 < boxes <= MAX_BOXES:
        yield _Fault(f"more than {MAX_BOXES} boxes" if boxes else "no box", 0, len(text))
    if strict and text[position:].strip():
        yield _Fault("text outside the boxes", position, len(text))


def _inside(kind: str, content: str) -> str:
    if kind == "object_ref":
        return "" if says_something(content) else "an empty object name"
    corners = _CORNERS.fullmatch(content)
    if corners is None:
        return "a box must read (x1,y1),(x2,y2)"
    x1, y1, x2, y2 = map(float, corners.groups())
    return "" if is_well_formed((x1, y1, x2, y2)) else "the corners enclose no area, or are in the wrong order"


def _json_fault(
    text: str, allow_fence: bool, allow_prose: bool, exactly_one: bool, none_expected: bool
) -> _Fault | None:
    found = [read_whole(text, allow_fence=allow_fence)]
    if found[0].fault and allow_prose:
        found = [value for value in find_json(text) if value.fault or _has_objects(value.value)]
        if not found:
            return _Fault("no box", 0, len(text))
        if exactly_one and len(found) > 1:
            return _Fault(f"{len(found)} JSON values; exactly one is asked for", found[1].start, found[-1].end)
    for value in found:
        if reason := value.fault or _value_fault(value.value, none_expected=none_expected):
            return _Fault(reason, value.start, value.end)
    return None


def _has_objects(value: Any) -> bool:
    return isinstance(value, dict) or not value or any(isinstance(item, dict) for item in value)


def _value_fault(value: Any, *, none_expected: bool) -> str:
    items = value if isinstance(value, list) else [value]
    if not items:
        return "" if none_expected else "an empty list, but the reference has boxes"
    if len(items) > MAX_BOXES:
        return f"more than {MAX_BOXES} boxes"
    for item in items:
        numbers = item.get("bbox_2d") if isinstance(item, dict) else None
        corners = quad(numbers) if isinstance(numbers, list) else None
        if corners is None:
            return "a box must read {'bbox_2d': [x1, y1, x2, y2]} with four numbers"
        if min(corners) < 0 or not is_well_formed(corners):
            return "the corners enclose no area, are in the wrong order, or are negative"
    return ""
