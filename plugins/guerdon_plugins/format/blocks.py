"""Blocks such as ``<think>...</think><answer>...</answer>``."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from guerdon_plugins.format.part import Part, all_missing
from guerdon_plugins.parsing.span import Span

MAX_TAGS = 200
"""A text with more tags is stuffed; the rest is not read."""

_INCOMPLETE = "a block is missing, malformed or empty"

type Check = Callable[[str, Span], str]
"""Takes a block's name and content; returns what is wrong with the content, or an empty string."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag in the text, or what was meant to be one."""

    name: str
    closing: bool
    exact: bool
    """Written ``<name>`` or ``</name>`` to the letter."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """A block that stands exactly once, well formed."""

    name: str
    start: int
    """Where the opening tag begins."""
    content: Span
    end: int
    """Where the closing tag ends."""


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    any_name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"[<＜]\s*+([/／]?)\s*+({any_name})(?![\w-])[^<>＜＞]{{0,100}}[>＞]", re.IGNORECASE | re.ASCII)


def find_tags(text: str, names: tuple[str, ...]) -> list[Tag]:
    """Return the tags of these names in order, at most `MAX_TAGS` + 1. Linear time.

    Spellings that a reader takes for the tag (``<Think>``, ``< think >``, ``<think/>``, full
    width) are found too, because they would hide a second block; they are not exact.
    """
    found: list[Tag] = []
    for match in _pattern(names).finditer(text):
        closing = bool(match[1])
        name = next(name for name in names if name.lower() == match[2].lower())
        exact = match[0] == (f"</{name}>" if closing else f"<{name}>")
        found.append(Tag(name, closing, exact, match.start(), match.end()))
        if len(found) > MAX_TAGS:
            break
    return found


def judge_blocks(
    text: Span, names: tuple[str, ...], *, strict: bool, tail: bool, check: Check
) -> tuple[list[Part], dict[str, Span]]:
    """Judge that every block stands once, in order, not nested and filled.

    Returns the parts, and what each well-formed block (and the tail, as ``text``) holds.

    Args:
        text: the text to judge.
        names: the blocks in their order.
        strict: only white space may stand outside the blocks (and, with `tail`, the text after them).
        tail: a text must follow the last block.
        check: looks at what a block, or the tail (under the name ``text``), holds.
    """
    tags = find_tags(text.text, names)
    if len(tags) > MAX_TAGS:
        place = (text.start + tags[0].start, text.start + tags[-1].end)
        return all_missing((*names, "order"), f"more than {MAX_TAGS} tags", place), {}
    found = [_block(text.text, name, tags) for name in names]
    blocks = [block for block in found if isinstance(block, Block)]
    parts = [_filled(block, check) if isinstance(block, Block) else block for block in found]
    held = {block.name: text.part(block.content.start, block.content.end) for block in blocks}
    if any(part.fault for part in parts):
        parts += all_missing(["order", *(["text"] if tail else []), *(["alone"] if strict else [])], _INCOMPLETE)
        return _moved(parts, text.start), held
    parts.append(_order(blocks))
    end = max(block.end for block in blocks)
    if tail:
        held["text"] = text.part(end)
        fault = check("text", Span(text.text[end:], end))
        parts.append(Part("text", fault, (end, len(text.text)) if fault else None))
    if strict:
        parts.append(_alone(text.text, blocks, tail=tail))
    return _moved(parts, text.start), held


def _moved(parts: Sequence[Part], start: int) -> list[Part]:
    if not start:
        return list(parts)
    return [Part(p.name, p.fault, (p.span[0] + start, p.span[1] + start) if p.span else None) for p in parts]


def _filled(block: Block, check: Check) -> Part:
    fault = check(block.name, block.content)
    return Part(block.name, fault, (block.start, block.end) if fault else None)


def _block(text: str, name: str, tags: Sequence[Tag]) -> Block | Part:
    own = [tag for tag in tags if tag.name == name]
    if not own:
        return Part(name, f"no <{name}> block", (len(text), len(text)))
    for tag in own:
        if not tag.exact:
            return Part(name, f"a malformed <{name}> tag", (tag.start, tag.end))
    opened, closed = ([tag for tag in own if tag.closing is side] for side in (False, True))
    if len(opened) != 1 or len(closed) != 1:
        surplus = (opened[1:] + closed[1:] or own)[0]
        fault = f"{len(opened)} opening and {len(closed)} closing <{name}> tags; one each is asked for"
        return Part(name, fault, (surplus.start, surplus.end))
    first, last = own
    if first.closing:
        return Part(name, f"</{name}> before <{name}>", (first.start, last.end))
    if inner := next((tag for tag in tags if first.end <= tag.start < last.start), None):
        return Part(name, f"a tag inside <{name}>", (inner.start, inner.end))
    return Block(name, first.start, Span(text[first.end : last.start], first.end), last.end)


def _order(blocks: Sequence[Block]) -> Part:
    for before, after in pairwise(blocks):
        if after.start < before.end:
            return Part("order", f"<{after.name}> stands before <{before.name}>", (after.start, after.end))
    return Part("order")


def _alone(text: str, blocks: Sequence[Block], *, tail: bool) -> Part:
    position = 0
    for start, end in [*sorted((b.start, b.end) for b in blocks), *([] if tail else [(len(text), len(text))])]:
        if outside := Span(text[position:start], position).strip():
            return Part("alone", "text outside the blocks", (outside.start, outside.end))
        position = end
    return Part("alone")
