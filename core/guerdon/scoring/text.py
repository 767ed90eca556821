"""Making what a reward hands back safe to store: finite JSON, valid UTF-8, bounded size.

One value that cannot be written must not stop a run (verl#7588), nor may a 50 MB evidence.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic_core import from_json, to_json  # seven times as fast as json on small mappings

MAX_REASON = 2_000
"""Characters of a reason that are kept."""

MAX_EVIDENCE = 65_536
"""Bytes of evidence, as JSON in UTF-8, that are kept; larger evidence is replaced by a note."""

MAX_METRICS = 64
"""Metrics of one score that are kept."""

_SIZED = frozenset({str, list, tuple, dict, bytes})
_MAX_DEPTH = 32
_MAX_NODES = 10_000
_MAX_INTEGER = 2**63
_MAX_DIGITS = 4_000
_HUGE = re.compile(rf"\d{{{_MAX_DIGITS}}}")
"""An integer that Python's json refuses to read back; or digits in a string, which do no harm."""


def clean_text(text: str, limit: int = MAX_REASON) -> str:
    """Cut to `limit` characters and replace lone surrogates by U+FFFD."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def dump_evidence(evidence: Mapping[str, Any]) -> str:
    """Write evidence as JSON that every reader takes: finite numbers, valid UTF-8, bounded size.

    What JSON cannot hold becomes a string that names it. Empty evidence gives an empty string.
    """
    if not evidence:
        return ""
    for value in evidence.values():  # what is plainly too large is not even written
        if type(value) in _SIZED and len(value) > MAX_EVIDENCE:
            return _dropped(f"it holds a {type(value).__name__} of length {len(value)}")
    try:
        text = str(to_json(evidence, inf_nan_mode="strings"), "utf-8")
        if len(text) > _MAX_DIGITS and _HUGE.search(text):
            text = _clean(evidence)
    except (TypeError, ValueError, RecursionError, AttributeError):  # ValueError covers cycles and lone surrogates
        text = _clean(evidence)
    size = len(text) if text.isascii() else len(text.encode())
    return text if size <= MAX_EVIDENCE else _dropped(f"it has {size} bytes")


def _clean(evidence: Mapping[str, Any]) -> str:
    return str(to_json(_Cleaner().clean(evidence)), "utf-8")


def parse_evidence(text: str) -> dict[str, Any]:
    """Read what `dump_evidence` wrote."""
    if not text:
        return {}
    try:
        evidence: dict[str, Any] = from_json(text)
    except ValueError:  # it reads 200 levels and writes 254
        evidence = json.loads(text)
    return evidence


def _dropped(why: str) -> str:
    return json.dumps({"note": f"evidence dropped: {why}; at most {MAX_EVIDENCE} bytes of JSON are kept"})


class _Cleaner:
    """Copies a value into plain JSON types, within a budget of nodes and depth."""

    def __init__(self) -> None:
        self.nodes = 0
        self.open: set[int] = set()

    def clean(self, value: object, depth: int = 0) -> Any:
        self.nodes += 1
        if self.nodes > _MAX_NODES or depth > _MAX_DEPTH:
            return f"<{type(value).__name__} cut here>"
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return clean_text(value, MAX_EVIDENCE)
        if isinstance(value, int):
            return int(value) if abs(value) < _MAX_INTEGER else f"<integer of {value.bit_length()} bits>"
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else _name(value)
        return self._container(value, depth)

    def _container(self, value: object, depth: int) -> Any:
        if id(value) in self.open:
            return "<cycle>"
        self.open.add(id(value))
        try:
            if isinstance(value, Mapping):
                return {_key(key): self.clean(item, depth + 1) for key, item in self._items(value.items())}
            if isinstance(value, list | tuple | set | frozenset):
                return [self.clean(item, depth + 1) for item in self._items(value)]
            return self._foreign(value, depth)
        finally:
            self.open.discard(id(value))

    def _items[T](self, items: Iterable[T]) -> Iterable[T]:
        for item in items:
            if self.nodes > _MAX_NODES:
                return
            yield item

    def _foreign(self, value: object, depth: int) -> Any:
        """Scalars and small arrays of numpy by their Python value; anything else by its type's name."""
        to_list = getattr(value, "tolist", None)
        if callable(to_list) and getattr(value, "size", _MAX_NODES) < _MAX_NODES:
            return self.clean(to_list(), depth + 1)
        return f"<{type(value).__module__}.{type(value).__qualname__}>"


def _name(value: float) -> str:
    """Name what JSON has no number for, as JavaScript does."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _key(key: object) -> str:
    return clean_text(key if isinstance(key, str) else f"{key!r:.80}", 256)


def clean_metrics(metrics: Mapping[str, Any]) -> dict[str, float]:
    """Keep the finite numbers under valid names, at most `MAX_METRICS` of them."""
    kept: dict[str, float] = {}
    for name, value in metrics.items():
        if len(kept) == MAX_METRICS:
            break
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            continue
        if math.isfinite(number):
            kept[_key(name)] = number
    return kept
