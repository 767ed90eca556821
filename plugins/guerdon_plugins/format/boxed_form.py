r"""The answer in ``\boxed{}``."""

import re
from collections.abc import Callable

from guerdon_plugins.format.content import box_says_something
from guerdon_plugins.format.part import Part
from guerdon_plugins.parsing.span import Span

_TOKEN = re.compile(r"\\(?:boxed|fbox|framebox)\s*+\{|\\.|[{}]", re.DOTALL)


def find_boxes(text: str) -> tuple[list[Span], bool]:
    """Return what stands in each balanced box, outer boxes only, and whether a box is left open. Linear time."""
    boxes: list[tuple[int, int]] = []
    opened: list[int] = []
    for token in _TOKEN.finditer(text):
        if token[0] == "}":
            if opened and (start := opened.pop()) >= 0:
                while boxes and boxes[-1][0] >= start:
                    boxes.pop()
                boxes.append((start, token.start()))
        elif token[0][-1] == "{" and token[0] != r"\{":
            opened.append(token.end() if len(token[0]) > 1 else -1)
    return [Span(text[start:end], start) for start, end in boxes], any(start >= 0 for start in opened)


def judge_boxed(text: Span, *, strict: bool, check: Callable[[Span], str]) -> tuple[list[Part], Span | None]:
    """Judge that the last balanced box says something; with `strict`, that it is the only one.

    Returns the parts, and the box if there is one.
    """
    boxes, unclosed = find_boxes(text.text)
    if not boxes:
        fault = "a box that is never closed" if unclosed else "no \\boxed{}"
        return [Part("boxed", fault, (text.start, text.end))], None
    last = text.part(boxes[-1].start, boxes[-1].end)
    fault = "" if box_says_something(last.text) else "an empty box"
    fault = fault or check(last)
    if not fault and strict and (len(boxes) > 1 or unclosed):
        fault = f"{len(boxes) + unclosed} boxes; exactly one is asked for"
    return [Part("boxed", fault, (last.start, last.end) if fault else None)], last
