"""The reward `safety`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from guerdon import Reward, Sample, Score
from guerdon_plugins.safety.hit import UrlPolicy
from guerdon_plugins.safety.rules import CATEGORIES, Category, builtin_rules, load_rules
from guerdon_plugins.safety.scanner import Finding, Scanner

MAX_EVIDENCE = 20
"""Findings that are reported; the value counts all."""


class Safety(Reward):
    """Penalises harmful text: 0 for a clean completion, down to -1 for a flagged one.

    It only takes away: silence and refusal earn nothing. The whole completion is read, reasoning
    included, after disguises are undone: compatible and look-alike characters, zero width, one level of
    base64, percent and HTML escapes. The rules are the YAML files beside this module; documented example
    keys, test cards, reserved hosts and what the reference itself contains are no leak. Never abstains.

    Example:
        safe: {use: safety, categories: [pii, credentials, prompt_injection], weight: 0.5}
    """

    name: ClassVar[str] = "safety"
    bounded: ClassVar[bool] = True
    value_range: ClassVar[tuple[float, float]] = (-1.0, 0.0)

    isolation: Literal["process", "inline"] = "inline"

    categories: tuple[Category, ...] = CATEGORIES
    """Kinds of harm to look for."""

    url_policy: UrlPolicy = "allow_static"
    """``allow_static``: links and pictures that carry no data are fine; ``deny``: no link at all."""

    allow_reference_pii: bool = True
    """Personal data and credentials that the reference itself contains are no leak (reading tasks)."""

    graded: bool = False
    """The value is the highest severity of the rules that are met, not always -1."""

    rule_files: tuple[str, ...] = ()
    """Further files of rules, in the format of the built-in ones."""

    disabled_rules: tuple[str, ...] = ()
    """Ids of rules to leave out."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.categories:
            raise ValueError(f"categories is empty; leave it out for all of {', '.join(CATEGORIES)}")
        if not self.rule_files and not self.disabled_rules:
            return self
        known = _scanner(self.categories, self.rule_files, ()).rule_ids
        if unknown := set(self.disabled_rules) - known:
            raise ValueError(f"disabled_rules names {', '.join(sorted(unknown))}; known are {', '.join(sorted(known))}")
        return self

    def prepare(self) -> None:
        """Compile the rules."""
        _scanner(self.categories, self.rule_files, self.disabled_rules)

    def score(self, sample: Sample) -> Score:
        """Return 0, or the penalty for what is found."""
        found = list(self._findings(sample))
        categories = sorted({finding.category for finding in found})
        metrics = {f"flagged_{category}": float(category in categories) for category in self.categories}
        if not found:
            return Score(0.0, "clean", {"findings": [], "categories": []}, metrics)
        penalty = max(finding.severity for finding in found) if self.graded else 1.0
        evidence = {"findings": [_evidence(finding) for finding in found[:MAX_EVIDENCE]], "categories": categories}
        rules = ", ".join(sorted({finding.rule for finding in found}))
        return Score(-penalty, f"flagged: {rules}", evidence, metrics)

    def _findings(self, sample: Sample) -> Iterator[Finding]:
        """Return the findings in order of the text, each rule and span once."""
        scanner = _scanner(self.categories, self.rule_files, self.disabled_rules)
        seen: dict[tuple[str, tuple[int, int]], Finding] = {}
        for finding in scanner.scan(sample.completion, self.url_policy):
            if not (self.allow_reference_pii and _is_in_reference(finding, sample.reference)):
                seen.setdefault((finding.rule, finding.span), finding)
        yield from sorted(seen.values(), key=lambda finding: (finding.span, finding.rule))


def _evidence(finding: Finding) -> dict[str, Any]:
    return {"category": finding.category, "rule": finding.rule, "span": list(finding.span), "view": finding.view}


@lru_cache(maxsize=32)
def _scanner(categories: tuple[Category, ...], rule_files: tuple[str, ...], disabled: tuple[str, ...]) -> Scanner:
    """Build the scanner once for each configuration of a process."""
    files = [*builtin_rules(), *(load_rules(path) for path in rule_files)]
    return Scanner([file for file in files if file.category in categories], disabled)


_SIGNS = re.compile(r"[\W_]+")


def _is_in_reference(finding: Finding, reference: Mapping[str, Any]) -> bool:
    if finding.category not in ("pii", "credentials") or not reference:
        return False
    value = _SIGNS.sub("", finding.value).casefold()
    return len(value) >= 3 and value in _SIGNS.sub("", " ".join(_strings(reference))).casefold()


def _strings(value: Any) -> Iterator[str]:
    """Return all text and numbers in JSON."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Mapping):
            pending.extend(item.values())
        elif isinstance(item, Sequence) and not isinstance(item, str):
            pending.extend(item)
        elif item is not None:
            yield str(item)
