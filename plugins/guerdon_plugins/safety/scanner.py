"""Searching a text for what the rules describe.

All rules of a view are searched together: RE2's filter finds in one pass which of them can match at
all, and only those are run. Every step is linear in the length of the text.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import re2

from guerdon import ConfigError
from guerdon_plugins.safety.checks import CHECKS, Check
from guerdon_plugins.safety.disguises import readings
from guerdon_plugins.safety.hit import Hit, UrlPolicy
from guerdon_plugins.safety.mention import is_explained
from guerdon_plugins.safety.rules import VIEWS, Category, Context, Rule, RuleFile, ViewName
from guerdon_plugins.safety.views import Span, View

MAX_HITS = 2000
"""Places that one rule looks at in one view. A text with more is flagged: it hides one among many."""


SHORT = 2048
"""Up to this length (characters) one automaton searches for all patterns without a literal; on long
texts of great variety its states are rebuilt too often."""

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_SET_OPTIONS = re2.Options()
_SET_OPTIONS.max_mem = 32 << 20


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found."""

    category: Category
    rule: str
    span: Span
    """In the original text."""

    severity: float
    view: ViewName
    """The reading in which it was found."""

    value: str
    """What was found, as that reading has it."""


@dataclass(frozen=True, slots=True)
class _Compiled:
    rule: Rule
    category: Category
    pattern: Any
    value_group: int
    shown_group: int
    """Numbers of the groups ``value`` (0: the whole match) and ``shown`` (0: none)."""

    check: Check | None
    requires: "_Window"
    unless: "_Window"

    def confirms(self, hit: Hit) -> bool:
        """Say whether a match is harmful where it stands."""
        if self.requires and not self.requires.holds(hit):
            return False
        if self.check is not None and not self.check(hit):
            return False
        return not (self.unless.holds(hit) or (self.rule.quotable and is_explained(hit)))


class _Window:
    """Compiled patterns for what stands around a match."""

    def __init__(self, context: Context) -> None:
        self._parts = [(name, re2.compile(pattern)) for name, pattern in context if pattern is not None]

    def __bool__(self) -> bool:
        return bool(self._parts)

    def holds(self, hit: Hit) -> bool:
        """Say whether any of the patterns is found."""
        return any(pattern.search(hit.window(name)) is not None for name, pattern in self._parts)


class _Matcher:
    """The patterns of one view."""

    def __init__(self, compiled: Sequence[_Compiled]) -> None:
        self._compiled = compiled
        self._filter = re2.Filter()
        for item in compiled:
            self._filter.Add(item.pattern.pattern)
        self._filter.Compile()
        self._always = self._filter.Match("", potential=True) or []
        """Patterns that the filter knows no literal for."""

        self._set = re2.Set.SearchSet(_SET_OPTIONS)
        for index in self._always:
            self._set.Add(compiled[index].pattern.pattern)
        self._set.Compile()

    def candidates(self, text: str) -> Iterator[_Compiled]:
        """Return the patterns that may match `text`, and all that do."""
        possible = set(self._filter.Match(text, potential=True) or ())
        if len(text) <= SHORT:
            possible.difference_update(self._always)
            possible.update(self._always[place] for place in self._set.Match(text) or ())
        for index in sorted(possible):
            yield self._compiled[index]


class Scanner:
    """Finds harm in a text by compiled rules."""

    def __init__(self, files: Sequence[RuleFile], disabled: Collection[str] = ()) -> None:
        rules = [(rule, file.category) for file in files for rule in file.expanded() if rule.id not in disabled]
        compiled = [item for rule, category in rules for item in _compile(rule, category)]
        self.rule_ids = frozenset(item.rule.id for item in compiled)
        self._matchers = {
            name: _Matcher(items) for name in VIEWS if (items := [item for item in compiled if name in item.rule.views])
        }

    def scan(self, text: str, url_policy: UrlPolicy = "allow_static") -> Iterator[Finding]:
        """Find harm, reading by reading. A rule may be found in several readings, and in each several times."""
        for name, view in readings(text):
            if matcher := self._matchers.get(name):
                for item in matcher.candidates(view.text):
                    yield from _findings(item, name, view, text, url_policy)


def _findings(item: _Compiled, name: ViewName, view: View, text: str, url_policy: UrlPolicy) -> Iterator[Finding]:
    for count, match in enumerate(item.pattern.finditer(view.text)):
        hit = _hit(match, item, view, text, url_policy)
        if count >= MAX_HITS or item.confirms(hit):
            span = view.locate((hit.start, hit.end))
            yield Finding(item.category, item.rule.id, span, item.rule.severity, name, hit.value)
        if count >= MAX_HITS:
            return


def _hit(match: Any, item: _Compiled, view: View, text: str, url_policy: UrlPolicy) -> Hit:
    return Hit(
        text=view.text,
        start=match.start(),
        end=match.end(),
        value=match.group(item.value_group),
        value_start=match.start(item.value_group),
        shown=match.group(item.shown_group) if item.shown_group else "",
        source=text,
        locate=view.locate,
        url_policy=url_policy,
    )


def _compile(rule: Rule, category: Category) -> Iterator[_Compiled]:
    """Compile each pattern of a rule."""
    if rule.check is not None and rule.check not in CHECKS:
        raise ConfigError(f"rule {rule.id!r} names the check {rule.check!r}; known are {', '.join(sorted(CHECKS))}")
    try:
        requires, unless = _Window(rule.requires), _Window(rule.unless)
        for text in rule.patterns:
            pattern = re2.compile(text, _OPTIONS)
            value, shown = pattern.groupindex.get("value", 0), pattern.groupindex.get("shown", 0)
            yield _Compiled(rule, category, pattern, value, shown, CHECKS.get(rule.check or ""), requires, unless)
    except re2.error as error:
        raise ConfigError(f"rule {rule.id!r} has a pattern that RE2 refuses: {error}") from error
