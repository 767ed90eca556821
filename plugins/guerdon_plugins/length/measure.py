"""How bad a completion is on each component: 0 (nothing to penalise) to 1."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import cos, pi
from typing import Any

import numpy as np

from guerdon_plugins.length.filler import find_filler
from guerdon_plugins.length.ngrams import Ngrams, count_ngrams
from guerdon_plugins.length.sentences import find_duplicates
from guerdon_plugins.length.tokens import Ids
from guerdon_plugins.parsing.span import Span
from guerdon_plugins.parsing.visible import unit_spans, units, without_blanks

MAX_FINDINGS = 20
"""Places that the evidence shows."""


@dataclass(frozen=True, slots=True)
class Severity:
    """A measured fault."""

    value: float
    """0 to 1."""

    reason: str
    evidence: dict[str, Any] = field(default_factory=dict)


def soft_overlong(length: int, max_len: int, cache_len: int, unit: str) -> Severity:
    """DAPO's soft overlong punishment (arXiv 2503.14476, equation 13).

    0 up to ``max_len - cache_len``, linear to 1 at `max_len`, 1 beyond.
    """
    over = length - (max_len - cache_len)
    value = 0.0 if over <= 0 else min(1.0, over / cache_len) if cache_len else 1.0
    return Severity(value, f"{length} {unit}; the penalty begins beyond {max_len - cache_len}", {"length": length})


def outside_range(length: int, min_len: int, max_len: int, cache_len: int, unit: str) -> Severity:
    """0 from `min_len` to `max_len`, linear to 1 at `cache_len` beyond either end."""
    off = max(min_len - length, length - max_len, 0)
    value = min(1.0, off / cache_len) if cache_len else float(off > 0)
    return Severity(value, f"{length} {unit}; asked for {min_len} to {max_len}", {"length": length})


def cosine(length: int, max_len: int, unit: str) -> Severity:
    """Half a cosine from 0 at length 0 to 1 at `max_len` and beyond (after arXiv 2502.03373).

    It presses on long completions of every kind. To press on right ones alone, let the
    advantage mode ``gate`` count this component only where the outcome passes.
    """
    share = min(length, max_len) / max_len
    return Severity((1.0 - cos(pi * share)) / 2, f"{length} of {max_len} {unit}", {"length": length})


def token_repetition(ids: Ids, size: int) -> Severity:
    """1 - distinct / total n-grams of token ids."""
    found = count_ngrams(ids, size)
    evidence = _ngram_evidence(found, "tokens")
    if found.most > 1:
        evidence["most_repeated"]["token_ids"] = ids[found.first : found.first + size].tolist()[:50]
    return Severity(found.repeated, _ngram_reason(found, "token"), evidence)


def text_repetition(text: str, size: int) -> Severity:
    """1 - distinct / total n-grams of words, single characters of scripts without spaces, and signs."""
    found = count_ngrams(_unit_ids(text), size)
    evidence = _ngram_evidence(found, "words")
    if found.most > 1:
        place = list(islice(unit_spans(text), found.first, found.first + size))
        evidence["findings"] = [{"fault": f"stands {found.most} times", "span": [place[0][0], place[-1][1]]}]
    return Severity(found.repeated, _ngram_reason(found, "word"), evidence)


def duplicates(text: str) -> Severity:
    """Share of the words in sentences that stood before, whatever their case or numbering."""
    found = find_duplicates(text)
    reason = f"{len(found.again)} sentences again: {found.repeated} of {found.units} words"
    return Severity(found.share, reason, {"findings": _findings(found.again, "stood before")})


def filler(text: str, more: tuple[str, ...]) -> Severity:
    """Share of the words in stock phrases."""
    total = len(units(text))
    found = find_filler(text, more)
    covered = sum(len(units(span.text)) for span in found)
    value = min(1.0, covered / total) if total else 0.0
    evidence = {"findings": _findings(found, "stock phrase")}
    return Severity(value, f"{len(found)} stock phrases: {covered} of {total} words", evidence)


def measure_length(text: str, unit: str) -> int:
    """Count words (single characters of scripts without spaces, other signs too) or visible characters."""
    return len(units(text)) if unit == "words" else len(without_blanks(text))


def _unit_ids(text: str) -> Ids:
    """Number the units of a text."""
    numbers: dict[str, int] = {}
    found = units(text)
    return np.fromiter((numbers.setdefault(unit, len(numbers)) for unit in found), np.int64, len(found))


def _ngram_reason(found: Ngrams, unit: str) -> str:
    return f"{found.distinct} of {found.total} {unit} {found.size}-grams are distinct"


def _ngram_evidence(found: Ngrams, unit: str) -> dict[str, Any]:
    evidence: dict[str, Any] = {"unit": unit, "ngrams": found.total, "distinct": found.distinct}
    if found.most > 1:
        evidence["most_repeated"] = {"times": found.most, "at": [found.first, found.first + found.size]}
    return evidence


def _findings(spans: Sequence[Span], fault: str) -> list[dict[str, Any]]:
    return [{"fault": fault, "span": [span.start, span.end]} for span in spans[:MAX_FINDINGS]]
