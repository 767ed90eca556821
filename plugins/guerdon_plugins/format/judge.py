"""Judging a text by a `Shape`."""

from collections.abc import Callable
from typing import Any

from guerdon import DataError, Sample
from guerdon_plugins.format.bbox_form import judge_json_boxes, judge_special
from guerdon_plugins.format.blocks import judge_blocks
from guerdon_plugins.format.boxed_form import judge_boxed
from guerdon_plugins.format.content import has_words, says_something
from guerdon_plugins.format.copies import Originals
from guerdon_plugins.format.json_form import judge_json
from guerdon_plugins.format.part import Part, all_missing
from guerdon_plugins.format.schema import CompiledSchema, compile_schema, schema_text
from guerdon_plugins.format.shape import Shape
from guerdon_plugins.parsing.json_text import read_json
from guerdon_plugins.parsing.linear import matches
from guerdon_plugins.parsing.reasoning import outside_reasoning
from guerdon_plugins.parsing.span import Span

REASONING = ("think", "thinking", "thought", "reasoning")
"""Blocks that must hold words; any other block may hold a sign."""


def judge_completion(shape: Shape, text: str, sample: Sample) -> list[Part]:
    """Judge a whole completion. Forms without blocks judge only the text outside the reasoning.

    Raises:
        DataError: the reference's schema is no valid schema.
    """
    if shape.blocks or shape.format == "pattern":
        return judge(shape, Span(text, 0), sample)
    visible = outside_reasoning(text)
    if shape.format == "json" and visible.text != text and not read_json(text).fault:
        return judge(shape, Span(text, 0), sample)  # the tags stand inside a string
    if visible.cut_off:
        return all_missing([shape.format], "the reasoning never ends", (len(visible.text.rstrip("\n")), len(text)))
    return judge(shape, Span(visible.text, 0), sample)


def judge(shape: Shape, text: Span, sample: Sample) -> list[Part]:
    """Judge a text, or a block of one; spans are positions in the completion."""
    if shape.blocks:
        return _judge_blocks(shape, text, sample)
    return _JUDGES[shape.format](shape, text, sample)


def _judge_blocks(shape: Shape, text: Span, sample: Sample) -> list[Part]:
    originals = Originals(sample) if shape.reject_prompt_copy else None

    def check(name: str, content: Span) -> str:
        reasoning = name in REASONING
        filled = has_words(content.text, shape.min_reasoning) if reasoning else says_something(content.text)
        if not filled:
            return (
                f"fewer than {shape.min_reasoning} words" if reasoning and shape.min_reasoning > 1 else "nothing in it"
            )
        if originals and originals.has_block(name, content.text, reasoning=reasoning):
            return "copied from the prompt"
        return ""

    strict = shape.strict is not False
    parts, filled = judge_blocks(text, shape.blocks, strict=strict, tail=shape.format == "think", check=check)
    if shape.answer_format:
        parts.append(_judge_answer(shape.answer_format, filled.get(shape.answer_block), sample))
    return parts


def _judge_answer(shape: Shape, content: Span | None, sample: Sample) -> Part:
    """Judge a form within a form as one part."""
    if content is None:
        return Part("answer_format", "no answer to judge")
    broken = next((part for part in judge(shape, content, sample) if part.fault), None)
    return Part("answer_format", f"{broken.name}: {broken.fault}", broken.span) if broken else Part("answer_format")


def _judge_boxed(shape: Shape, text: Span, sample: Sample) -> list[Part]:
    originals = Originals(sample) if shape.reject_prompt_copy else None

    def check(content: Span) -> str:
        return "copied from the prompt" if originals and originals.has_box(content.text) else ""

    parts, box = judge_boxed(text, strict=shape.strict is True, check=check)
    if shape.answer_format:
        parts.append(_judge_answer(shape.answer_format, box, sample))
    return parts


def _judge_json(shape: Shape, text: Span, sample: Sample) -> list[Part]:
    schema = _schema_of(shape, sample)
    parts, found = judge_json(
        text, schema, allow_fence=shape.allow_fence, allow_prose=shape.allow_prose, exactly_one=shape.exactly_one
    )
    if found is None or any(part.fault for part in parts):
        return [*parts, Part("content", "no valid JSON to look at")]
    fault = _hollow(shape, found.value, schema.schema if schema else None, Originals(sample))
    return [*parts, Part("content", fault, (text.start + found.start, text.start + found.end) if fault else None)]


def _schema_of(shape: Shape, sample: Sample) -> CompiledSchema | None:
    if shape.schema_from is None:
        return shape.compiled()
    try:
        return compile_schema(schema_text(sample.reference["schema"]), check_formats=shape.check_formats)
    except ValueError as error:
        raise DataError(f"sample {sample.id}: reference.schema cannot be used: {error}") from error


def _hollow(shape: Shape, value: Any, schema: Any, originals: Originals) -> str:
    """Return why a valid value is no answer, or an empty string."""
    if originals.is_empty_answer(value):
        return "nothing but nulls and blanks, but the reference has an answer"
    if originals.is_example(value, schema):
        return "copied from the schema's example"
    if shape.reject_prompt_copy and originals.has_json(value):
        return "copied from the prompt"
    return ""


def _judge_bbox(shape: Shape, text: Span, sample: Sample) -> list[Part]:
    strict = shape.strict is True
    if shape.syntax == "qwen_special":
        return judge_special(text, strict=strict)
    return judge_json_boxes(
        text,
        allow_fence=shape.allow_fence or not strict,
        allow_prose=shape.allow_prose or not strict,
        exactly_one=shape.exactly_one,
        none_expected=sample.reference.get("boxes") == [],
    )


def _judge_rules(shape: Shape, text: Span, _sample: Sample) -> list[Part]:
    return [Part(f"{rule.id}[{i}]", rule.fault(text.text)) for i, rule in enumerate(shape.rules or ())]


def _judge_pattern(shape: Shape, text: Span, _sample: Sample) -> list[Part]:
    found = matches(shape.pattern or "", text.text, "search" if shape.strict is False else "fullmatch")
    return [Part("pattern") if found else Part("pattern", "the pattern does not match", (text.start, text.end))]


_JUDGES: dict[str, Callable[[Shape, Span, Sample], list[Part]]] = {
    "boxed": _judge_boxed,
    "json": _judge_json,
    "bbox": _judge_bbox,
    "rules": _judge_rules,
    "pattern": _judge_pattern,
}
