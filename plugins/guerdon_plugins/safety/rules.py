"""The rules: readable YAML files with a version, checked when they are loaded.

A file has one category. Its patterns are written in RE2's syntax, so any text is searched in
linear time. ``{{name}}`` stands for an entry of ``define``; a space outside brackets stands for the
file's ``space``, the gap between two words.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from guerdon import ConfigError
from guerdon.yaml import load_yaml, parse_yaml

type Category = Literal[
    "pii", "credentials", "prompt_injection", "url", "exfiltration", "code_exec", "dangerous_content", "overreach"
]
CATEGORIES: tuple[Category, ...] = get_args(Category.__value__)

type ViewName = Literal["plain", "leet", "shell", "squeezed"]
"""A reading of the text that a rule looks at; `disguises` makes them."""
VIEWS: tuple[ViewName, ...] = get_args(ViewName.__value__)

_SLOT = re.compile(r"\{\{(\w+)\}\}")
_CLASS_OR_SPACE = re.compile(r"\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]| ")
_WORD_CATEGORIES = frozenset({"prompt_injection", "dangerous_content", "overreach"})


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Context(_Model):
    """Patterns for what stands around a match. All are searched, in windows of limited width."""

    before: str | None = None
    """In the 80 characters before it; end with ``$`` for what is right before."""

    inside: str | None = None
    """In the match itself."""

    near: str | None = None
    """In the 80 characters before and after it, and in the match."""

    sentence: str | None = None
    """In its sentence, up to 300 characters to each side."""


class Rule(_Model):
    """One kind of harm and how it is recognised."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]{2,40}$")]
    about: str
    patterns: Annotated[tuple[str, ...], Field(min_length=1)]
    check: str | None = None
    """The name of a function in `checks` that must confirm a match."""

    requires: Context = Context()
    """What must stand around a match."""

    unless: Context = Context()
    """What makes a match harmless."""

    quotable: bool = False
    """Harmless where a text that explains attacks quotes it."""

    severity: Annotated[float, Field(gt=0, le=1)] = 1.0
    views: tuple[ViewName, ...] = ()
    """Readings of the text to look at; by default ``plain``, and ``leet`` where words matter."""

    space: str | None = None
    """Overrides the file's."""


class RuleFile(_Model):
    """A file of rules."""

    category: Category
    version: Annotated[int, Field(ge=1)]
    space: str = r"\s{1,3}"
    define: dict[str, str] = {}
    rules: Annotated[tuple[Rule, ...], Field(min_length=1)]

    def expanded(self) -> Iterator[Rule]:
        """Return the rules with slots and spaces filled in, case ignored in categories of words."""
        for rule in self.rules:
            views = rule.views or (("plain", "leet") if self.category in _WORD_CATEGORIES else ("plain",))
            yield rule.model_copy(
                update={
                    "patterns": tuple(self._fill(pattern, rule) for pattern in rule.patterns),
                    "requires": self._fill_context(rule.requires, rule),
                    "unless": self._fill_context(rule.unless, rule),
                    "views": views,
                }
            )

    def _fill_context(self, context: Context, rule: Rule) -> Context:
        return Context(**{name: self._fill(text, rule) for name, text in context if text is not None})

    def _fill(self, pattern: str, rule: Rule) -> str:
        for _ in range(8):
            if not _SLOT.search(pattern):
                break
            pattern = _SLOT.sub(lambda slot: self._slot(slot[1], rule), pattern)
        gap = self.space if rule.space is None else rule.space
        pattern = _CLASS_OR_SPACE.sub(lambda part: f"(?:{gap})" if part[0] == " " else part[0], pattern)
        return f"(?i){pattern}" if self.category in _WORD_CATEGORIES else pattern

    def _slot(self, name: str, rule: Rule) -> str:
        if name not in self.define:
            raise ConfigError(f"rule {rule.id!r} uses {{{{{name}}}}}, which the file does not define")
        return self.define[name]


def load_rules(path: str | Path) -> RuleFile:
    """Read one file of rules.

    Raises:
        ConfigError: the file cannot be read or is no file of rules.
    """
    return _rule_file(load_yaml(path), str(path))


@lru_cache(maxsize=1)
def builtin_rules() -> tuple[RuleFile, ...]:
    """Read the rules that come with the package."""
    folder = resources.files(__package__) / "rules"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    return tuple(_rule_file(parse_yaml(file.read_text(encoding="utf-8"), file.name), file.name) for file in files)


def _rule_file(data: dict[str, object], origin: str) -> RuleFile:
    try:
        return RuleFile.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{origin} is no file of safety rules: {place}: {first['msg']}") from error
