"""The reward `length`."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from guerdon import Reward, Sample, Score
from guerdon_plugins.length import measure
from guerdon_plugins.length.measure import Severity
from guerdon_plugins.length.tokens import count_tokens, token_ids

type Component = Literal["soft_overlong", "target", "cosine", "repetition", "duplicates", "filler"]
"""``soft_overlong``: DAPO's penalty near the limit; ``target``: a range; ``cosine``: the shorter
the better; ``repetition``: repeated n-grams; ``duplicates``: repeated sentences; ``filler``: stock
phrases."""

type Whole = Annotated[int, Field(strict=True)]

_APPLIES: dict[str, frozenset[str]] = {
    "soft_overlong": frozenset({"max_len", "cache_len", "unit", "tokenizer"}),
    "target": frozenset({"min_len", "max_len", "cache_len", "unit", "tokenizer"}),
    "cosine": frozenset({"max_len", "unit", "tokenizer"}),
    "repetition": frozenset({"ngram", "unit", "tokenizer"}),
    "duplicates": frozenset(),
    "filler": frozenset({"phrases"}),
}
_NEEDS: dict[str, tuple[str, ...]] = {
    "soft_overlong": ("max_len",),
    "target": ("min_len", "max_len"),
    "cosine": ("max_len",),
    "repetition": ("ngram",),
}
_EXAMPLES = {"max_len": 4096, "min_len": 50, "ngram": 4}


class Length(Reward):
    """Penalises length or redundancy: 0 down to `max_penalty`, never a bonus.

    Lengths are in tokens of the policy's tokenizer up to the end token, without padding; without token
    ids, repetition counts words, and single characters of scripts without spaces. Never abstains.

    Example:
        brief: {use: length, component: soft_overlong, max_len: 1024, cache_len: 256, weight: 0.1}
    """

    name: ClassVar[str] = "length"
    bounded: ClassVar[bool] = True
    value_range: ClassVar[tuple[float, float]] = (-1.0, 0.0)

    isolation: Literal["process", "inline"] = "inline"
    """Inline by default: all is linear but for sorting, and the tests hold it to a million tokens."""

    component: Component = "soft_overlong"
    """What is penalised."""

    max_len: Whole | None = Field(None, ge=1)
    """``soft_overlong``: the full penalty from here on. ``target``: the longest that is asked for.
    ``cosine``: the full penalty from here on."""

    min_len: Whole | None = Field(None, ge=0)
    """``target``: the shortest that is asked for."""

    cache_len: Whole | None = Field(None, ge=0)
    """Width of the slope: below `max_len` (``soft_overlong``), or outside the range (``target``). By
    default a fifth of `max_len`, as in DAPO (4096 of 20480)."""

    unit: Literal["tokens", "words", "characters"] = "tokens"
    """What lengths count. ``words``: characters in scripts without spaces; signs count too.
    ``repetition`` counts n-grams of token ids where they are known, and of words where not."""

    tokenizer: None = None
    """No tokenizer is loaded: the token ids, or their number, come with each sample."""

    ngram: Whole | None = Field(None, ge=1, le=1000)
    """``repetition``: n."""

    phrases: tuple[Annotated[str, Field(min_length=2, max_length=200, pattern=r"\S")], ...] = Field((), max_length=1000)
    """``filler``: further stock phrases."""

    max_penalty: float = Field(-1.0, le=0, allow_inf_nan=False)
    """The value at the worst; 0 or below."""

    @field_validator("tokenizer", mode="before")
    @classmethod
    def _no_tokenizer(cls, tokenizer: object) -> None:
        if tokenizer is not None:
            raise ValueError(
                f"no tokenizer is loaded here (found {tokenizer!r}); leave it out: token ids come with each sample"
            )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        """Refuse options without effect, missing ones and impossible ranges."""
        for name in _NEEDS.get(self.component, ()):
            if getattr(self, name) is None:
                raise ValueError(f"component {self.component!r} needs {name}, for example {name}: {_EXAMPLES[name]}")
        for name in frozenset().union(*_APPLIES.values()) - _APPLIES[self.component]:
            if getattr(self, name) != Length.model_fields[name].default:
                users = [component for component, names in _APPLIES.items() if name in names]
                raise ValueError(
                    f"{name} does nothing for component {self.component!r}; it belongs to {', '.join(users)}"
                )
        if self.max_len is not None and self.min_len is not None and self.min_len > self.max_len:
            raise ValueError(f"min_len {self.min_len} exceeds max_len {self.max_len}")
        if self.component == "soft_overlong" and self._slope() > (self.max_len or 0):
            raise ValueError(
                f"cache_len {self.cache_len} exceeds max_len {self.max_len}, so that every completion is punished;"
                " choose a smaller cache_len"
            )
        return self

    def range(self) -> tuple[float, float]:
        """Return `max_penalty` and 0."""
        return self.max_penalty, 0.0

    def score(self, sample: Sample) -> Score:
        """Return the penalty.

        Raises:
            DataError: lengths are in tokens, and nobody counted them.
        """
        severity = self._severity(sample)
        value = self.max_penalty * severity.value if severity.value > 0 else 0.0
        return Score(value, severity.reason, severity.evidence)

    def _severity(self, sample: Sample) -> Severity:
        match self.component:
            case "repetition":
                ids = token_ids(sample) if self.unit == "tokens" else None
                if ids is None:
                    return measure.text_repetition(sample.completion, self.ngram or 1)
                return measure.token_repetition(ids, self.ngram or 1)
            case "duplicates":
                return measure.duplicates(sample.completion)
            case "filler":
                return measure.filler(sample.completion, self.phrases)
            case _:
                return self._length_severity(self._length(sample))

    def _length_severity(self, length: int) -> Severity:
        max_len = self.max_len or 1
        match self.component:
            case "target":
                return measure.outside_range(length, self.min_len or 0, max_len, self._slope(), self.unit)
            case "cosine":
                return measure.cosine(length, max_len, self.unit)
            case _:
                return measure.soft_overlong(length, max_len, self._slope(), self.unit)

    def _length(self, sample: Sample) -> int:
        return count_tokens(sample) if self.unit == "tokens" else measure.measure_length(sample.completion, self.unit)

    def _slope(self) -> int:
        return self.cache_len if self.cache_len is not None else (self.max_len or 0) // 5
