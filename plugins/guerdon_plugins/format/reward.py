"""The reward `format`."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from guerdon import Abstain, Reward, Sample, Score
from guerdon_plugins.format.judge import judge_completion
from guerdon_plugins.format.part import Part, one_line
from guerdon_plugins.format.shape import Shape


class Format(Shape, Reward):
    """Pays for the required form: 1 if the completion has it, else 0.

    Without options: ``<think>`` and ``<answer>``, each once, filled, in order, nothing outside. Stuffed,
    nested, reversed, unclosed and empty blocks score 0. JSON is strict: no NaN, no duplicate keys, no
    booleans for integers, no `$ref` that leaves the schema. Only the completion counts, never the
    prompt (hiyouga/EasyR1#26).

    Abstains where ``schema_from: reference`` finds no schema in the reference.

    Example:
        shape: {use: format, tags: [think, answer], min_reasoning: 5, weight: 0.2}
    """

    name: ClassVar[str] = "format"
    bounded: ClassVar[bool] = True

    isolation: Literal["process", "inline"] = "inline"
    """Inline by default: every scanner is linear, and the tests hold it to a million characters."""

    prefill: str = ""
    """What the chat template puts before the completion, such as ``<think>`` and a newline."""

    special_tokens: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """End tokens; the text from the first one on is cut."""

    partial: bool = False
    """Pay the share of the parts that are fulfilled instead of all or nothing."""

    @model_validator(mode="after")
    def _prefill_opens(self) -> Self:
        """Refuse a prefill with which no completion could have the form."""
        opening = f"<{self.blocks[0]}>" if self.blocks else ""
        if self.prefill.strip() and not self.prefill.lstrip().startswith(opening):
            raise ValueError(f"prefill {self.prefill!r} must begin with {opening}, the first block's opening tag")
        return self

    def score(self, sample: Sample) -> Score | Abstain:
        """Return 1 for the form, 0 without it; with `partial`, the share of its parts."""
        if self.reads_reference_schema and "schema" not in sample.reference:
            return Abstain("the reference has no schema")
        completion = sample.completion
        for token in self.special_tokens:
            completion = completion.partition(token)[0]
        parts = judge_completion(self, self.prefill + completion, sample)
        share = sum(part.fulfilled for part in parts) / len(parts)
        broken = [part for part in parts if part.fault]
        value = share if self.partial or not broken else 0.0
        reason = one_line(f"{broken[0].name}: {broken[0].fault}") if broken else "well formed"
        return Score(value, reason, self._evidence(parts, broken) if broken else {}, {"partial": share})

    def _evidence(self, parts: list[Part], broken: list[Part]) -> dict[str, object]:
        findings = [
            {"part": part.name, "fault": one_line(part.fault), "span": self._in_completion(part)} for part in broken
        ]
        return {"parts": {part.name: part.fulfilled for part in parts}, "findings": findings}

    def _in_completion(self, part: Part) -> list[int] | None:
        """Return the place without the prefill, which the completion does not hold."""
        if part.span is None:
            return None
        return [max(0, position - len(self.prefill)) for position in part.span]
