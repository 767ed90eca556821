"""The form that a completion, or a block of it, must have."""

import re
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from guerdon_plugins.format.bbox_form import Syntax
from guerdon_plugins.format.rules import Rule
from guerdon_plugins.format.schema import CompiledSchema, compile_schema, schema_text
from guerdon_plugins.parsing.linear import check_pattern

type Form = Literal["think_answer", "think", "tags", "boxed", "json", "bbox", "rules", "pattern"]
"""``think_answer``: a reasoning block, then an answer block; ``think``: a reasoning block, then
text; ``tags``: the blocks that `Shape.tags` lists; ``boxed``: an answer in ``\\boxed{}``; ``json``;
``bbox``: boxes in a model's own syntax; ``rules``; ``pattern``: a regular expression."""

MAX_RULES = 50
_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,40}")
_BLOCKS = frozenset({"strict", "answer_format", "reject_prompt_copy", "min_reasoning"})
_APPLIES: dict[str, frozenset[str]] = {
    "think_answer": _BLOCKS,
    "think": _BLOCKS,
    "tags": _BLOCKS | {"tags"},
    "boxed": frozenset({"strict", "answer_format", "reject_prompt_copy"}),
    "json": frozenset(
        {
            "json_schema",
            "schema_from",
            "allow_fence",
            "allow_prose",
            "exactly_one",
            "check_formats",
            "reject_prompt_copy",
        }
    ),
    "bbox": frozenset({"syntax", "strict", "allow_fence", "allow_prose", "exactly_one"}),
    "rules": frozenset({"rules"}),
    "pattern": frozenset({"pattern", "strict"}),
}
_NEEDS = {"tags": "tags", "rules": "rules", "pattern": "pattern", "bbox": "syntax"}


class Shape(BaseModel):
    """What is asked of a text. An option that does nothing for the form is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, serialize_by_alias=True)

    format: Form = "think_answer"
    """The form. `tags` alone stands for ``tags``."""

    tags: tuple[str, ...] | None = Field(None, min_length=1, max_length=16)
    """The blocks in their order, such as ``[think, answer]``. One named ``answer`` (else the last) is the answer."""

    strict: bool | None = None
    """For blocks (default true): only white space outside them. For ``think``: nothing before the
    block. For ``boxed`` and ``bbox`` (default false): exactly one box; no prose around boxes. For
    ``pattern`` (default true): it matches the whole text."""

    answer_format: "Shape | None" = None
    """The form that the answer block, the text after ``think``, or the box must have."""

    reject_prompt_copy: bool = False
    """What is copied from the prompt does not fill a block, unless it is the reference's answer."""

    min_reasoning: int = Field(1, ge=1, strict=True)
    """Words that a reasoning block must have; in scripts without spaces, characters."""

    check_formats: bool = False
    """Enforce the schema's ``format``; otherwise it is an annotation."""

    json_schema: dict[str, Any] | bool | None = Field(None, alias="schema")
    """The JSON Schema of the value; draft 2020-12 unless it declares another in ``$schema``."""

    schema_from: Literal["reference"] | None = None
    """``reference``: the schema is the key ``schema`` of each sample's reference."""

    allow_fence: bool = False
    """One Markdown fence may stand around the JSON."""

    allow_prose: bool = False
    """Text may stand around the JSON; the last object or array counts."""

    exactly_one: bool = False
    """With `allow_prose`: there must be one JSON value only."""

    syntax: Syntax | None = None
    """The syntax of boxes, for ``bbox``."""

    rules: tuple[Rule, ...] | None = None
    """All must hold for the text outside the reasoning."""

    pattern: str | None = Field(None, min_length=1)
    """A regular expression in RE2's syntax, matched against the whole completion, reasoning included."""

    _schema_text: str = PrivateAttr("")

    @model_validator(mode="before")
    @classmethod
    def _tags_alone(cls, data: Any) -> Any:
        """Read `tags` without `format` as the form ``tags``."""
        if isinstance(data, dict) and data.get("tags") is not None and "format" not in data:
            return {**data, "format": "tags"}
        return data

    @field_validator("tags")
    @classmethod
    def _tags_are_names(cls, tags: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for tag in tags or ():
            if not _TAG_NAME.fullmatch(tag):
                raise ValueError(f"{tag!r} is no tag name; write think for <think>")
        if tags and len({tag.lower() for tag in tags}) < len(tags):
            raise ValueError("a tag stands twice; every block is asked for once")
        return tags

    @field_validator("json_schema")
    @classmethod
    def _schema_compiles(cls, schema: Any, info: ValidationInfo) -> Any:
        if schema is not None:
            compile_schema(schema_text(schema), check_formats=info.data.get("check_formats", False))
        return schema

    @field_validator("rules")
    @classmethod
    def _some_rules(cls, rules: tuple[Rule, ...] | None) -> tuple[Rule, ...] | None:
        if rules is not None and not 0 < len(rules) <= MAX_RULES:
            raise ValueError(f"{len(rules)} rules; give 1 to {MAX_RULES} (without any, every text would pass)")
        return rules

    @field_validator("pattern")
    @classmethod
    def _pattern_is_linear(cls, pattern: str | None) -> str | None:
        return None if pattern is None else check_pattern(pattern)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        """Refuse options without effect, and forms without what they need."""
        needed = _NEEDS.get(self.format)
        if needed and getattr(self, needed) is None:
            raise ValueError(f"format {self.format!r} needs {needed}")
        for name in frozenset().union(*_APPLIES.values()) - _APPLIES[self.format]:
            if getattr(self, name) != Shape.model_fields[name].default and name != "strict":
                key = Shape.model_fields[name].alias or name
                forms = [form for form, names in _APPLIES.items() if name in names]
                raise ValueError(f"{key} does nothing for format {self.format!r}; it belongs to {', '.join(forms)}")
        if self.json_schema is not None and self.schema_from is not None:
            raise ValueError("schema and schema_from: reference contradict each other; give one of them")
        if self.check_formats and self.json_schema is None and self.schema_from is None:
            raise ValueError("check_formats has no schema to take formats from; give schema or schema_from")
        if self.json_schema is not None:
            self._schema_text = schema_text(self.json_schema)
        return self

    @property
    def blocks(self) -> tuple[str, ...]:
        """The names of the blocks, in order; empty for forms without blocks."""
        named: dict[str, tuple[str, ...]] = {"think_answer": ("think", "answer"), "think": ("think",)}
        return self.tags or () if self.format == "tags" else named.get(self.format, ())

    @property
    def answer_block(self) -> str:
        """The block that `answer_format` judges; ``text`` is what follows the block of ``think``."""
        if self.format == "think":
            return "text"
        return "answer" if "answer" in self.blocks else self.blocks[-1]

    @property
    def reads_reference_schema(self) -> bool:
        """A sample without ``schema`` in its reference cannot be judged."""
        inner = self.answer_format
        return self.schema_from == "reference" or (inner is not None and inner.reads_reference_schema)

    def compiled(self) -> CompiledSchema | None:
        """Return the configured schema, ready to judge."""
        return compile_schema(self._schema_text, check_formats=self.check_formats) if self._schema_text else None
