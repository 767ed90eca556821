"""What a completion could copy instead of answering: the prompt's template, the schema's example."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from guerdon import Sample
from guerdon_plugins.format.blocks import find_tags
from guerdon_plugins.format.boxed_form import find_boxes
from guerdon_plugins.format.content import prompt_text
from guerdon_plugins.format.values import is_hollow, same_json
from guerdon_plugins.parsing.json_text import find_json
from guerdon_plugins.parsing.visible import canonical, without_blanks

LONG_COPY = 60
"""Reasoning of so many characters that stands word for word in the prompt is a copy of it."""


class Originals:
    """What one sample's prompt and reference say."""

    def __init__(self, sample: Sample) -> None:
        self._prompt = prompt_text(sample.prompt)
        self._reference = sample.reference

    @property
    def answer(self) -> Any:
        """The reference's answer, or None."""
        return self._reference.get("answer")

    def has_block(self, name: str, content: str, *, reasoning: bool) -> bool:
        """Say whether the content of a block was copied from such a block of the prompt, or, for
        reasoning, from anywhere in it. The reference's own answer is never a copy.
        """
        if len(without_blanks(content)) > len(self._prompt):
            return False
        copy = canonical(content)
        if reasoning:
            whole = canonical(self._prompt) if len(copy) >= LONG_COPY else ""
            return copy in _blocks(self._prompt, name) or copy in whole
        return copy in _blocks(self._prompt, name) and copy not in self._right_answers()

    def has_box(self, content: str) -> bool:
        """Say whether the content of a box was copied from a box of the prompt."""
        if len(without_blanks(content)) > len(self._prompt):
            return False
        boxes, _ = find_boxes(self._prompt)
        copy = canonical(content)
        return copy in {canonical(box.text) for box in boxes} and copy not in self._right_answers()

    def has_json(self, value: Any) -> bool:
        """Say whether the value was copied from the prompt."""
        shown = [found.value for found in find_json(self._prompt) if not found.fault]
        return not same_json(value, self.answer) and any(same_json(value, item) for item in shown)

    def is_example(self, value: Any, schema: Any) -> bool:
        """Say whether the value is the example of its schema, whole or property by property."""
        if not isinstance(schema, Mapping) or same_json(value, self.answer):
            return False
        return any(same_json(value, shown) for shown in _examples(schema)) or _is_composed(value, schema)

    def is_empty_answer(self, value: Any) -> bool:
        """Say whether the value says nothing although the reference has something to say."""
        return self.answer is not None and not is_hollow(self.answer) and is_hollow(value)

    def _right_answers(self) -> set[str]:
        answers = self.answer if isinstance(self.answer, list | tuple) else [self.answer]
        options = self._reference.get("options")
        texts = [options.get(a) for a in answers if isinstance(a, str)] if isinstance(options, Mapping) else []
        return {canonical(str(answer)) for answer in (*answers, *texts) if answer is not None}


@lru_cache(maxsize=128)
def _blocks(prompt: str, name: str) -> frozenset[str]:
    """Return what the prompt shows between the tags of one name."""
    found: set[str] = set()
    opened: int | None = None
    for tag in find_tags(prompt, (name,)):
        if not tag.closing:
            opened = tag.end
        elif opened is not None:
            found.add(canonical(prompt[opened : tag.start]))
    return frozenset(found)


def _examples(schema: Mapping[str, Any]) -> list[Any]:
    several = schema.get("examples")
    shown = list(several) if isinstance(several, list) else []
    return [*shown, schema["example"]] if "example" in schema else shown


def _is_composed(value: Any, schema: Mapping[str, Any]) -> bool:
    """Say whether each of at least two properties is its own schema's first example."""
    properties = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(properties, Mapping) or len(value) < 2:
        return False
    firsts = {key: _examples(own)[:1] for key, own in properties.items() if isinstance(own, Mapping)}
    return all(firsts.get(key) and same_json(item, firsts[key][0]) for key, item in value.items())
