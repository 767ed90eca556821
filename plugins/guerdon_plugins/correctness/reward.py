"""The reward `correctness`."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from guerdon import Abstain, Reward, Sample, Score
from guerdon_plugins.correctness.choice import Choice
from guerdon_plugins.correctness.exact import Exact
from guerdon_plugins.correctness.fields import Fields
from guerdon_plugins.correctness.maths import Math
from guerdon_plugins.correctness.maths.equality import INSTALL, warm_up
from guerdon_plugins.correctness.numeric import Numeric
from guerdon_plugins.correctness.reading import BadGoldError, Reading, Reference, Subject
from guerdon_plugins.correctness.units import registry
from guerdon_plugins.parsing.latex import unfill
from guerdon_plugins.parsing.location import AnswerFrom, Located, Location, locate
from guerdon_plugins.parsing.normalise import ALL_FOLDS, Fold

type Kind = Literal["choice", "exact", "fields", "numeric", "math"]

MAX_OPEN = 50_000
"""With ``answer_from: any`` so many characters at the end of the completion are read."""

_EVIDENCE = 200
"""Characters of the answer that go into the evidence."""


class Correctness(Reward):
    """Pays for the right answer: 1 for right, 0 for wrong, a share for fields.

    Only the text outside the reasoning is read, and in it the last explicit declaration; reasoning that
    is cut off leaves no answer. The reference's ``type`` says how to compare:

    - ``choice`` (`answer`, `options`): a letter or an option's own text. Hedges and lists are wrong;
      ``multi: exact_set`` asks for every right option and no other.
    - ``exact`` (`answer`, `choices`): the same text after `normalise`; of `choices`, exactly one.
    - ``fields`` (`answer`, an object): the share of its populated values that are right.
    - ``numeric`` (`answer`, `rel_tol`, `abs_tol`, `numeric_kind`, `percent_mode`, `unit_in_prompt`,
      `locale`): the wider tolerance holds, none for years, counts and codes; units are converted.
    - ``math`` (`answer`, `math_kind`): equal by math-verify; sets are unordered, tuples are not.

    Of several golds any one is right.

    Abstains where the reference has none of these types, or cannot confirm any answer (empty, NaN,
    outside its own options): such a sample is never paid.

    Example:
        answer: {use: correctness, kind: numeric, answer_from: tag, tag: answer, weight: 1.0}

    ``strict`` in the metrics: the value if the configured place holds the answer alone, else 0;
    ``lenient``: the value wherever outside the reasoning the answer is declared.
    """

    name: ClassVar[str] = "correctness"
    bounded: ClassVar[bool] = True

    kind: Kind | None = None
    """Score only references of this type; null scores every type that it knows."""

    answer_from: AnswerFrom = "any"
    """Where the answer stands."""

    tag: str = Field("answer", min_length=1, pattern=r"^[\w.:-]+$")
    """The block that holds the answer, with ``answer_from: tag``; the last one counts."""

    marker: str | None = Field(None, min_length=1)
    """What stands before the answer, with ``answer_from: marker``; the last one counts."""

    normalise: tuple[Fold, ...] = ALL_FOLDS
    """What does not matter when texts are compared."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.answer_from == "marker") != (self.marker is not None):
            raise ValueError("`marker` and `answer_from: marker` need each other; give both or neither")
        if self.isolation == "inline" and self.kind in (None, "math"):
            raise ValueError(
                "`isolation: inline` needs a `kind` other than math: math-verify may run without end, so it needs a "
                "worker that can be killed"
            )
        if self.kind == "math" and not _has_math_verify():
            raise ValueError(INSTALL)
        return self

    def prepare(self) -> None:
        """Load the units, and math-verify where references of type math may come: seconds on a busy machine."""
        if self.kind in (None, "numeric", "math") and find_spec("pint") is not None:
            registry()
        if self.kind in (None, "math") and _has_math_verify():
            warm_up()

    def score(self, sample: Sample) -> Score | Abstain:
        """Compare the completion's answer with the reference."""
        kind = sample.reference.get("type")
        if not isinstance(kind, str) or kind not in _SUBJECTS:
            return Abstain(f"the reference has no answer of a type that correctness knows; its type is {kind!r}")
        if self.kind not in (None, kind):
            return Abstain(f"the reference is of type {kind!r}; this component scores only {self.kind!r}")
        try:
            subject = _SUBJECTS[kind](sample.reference, self.normalise)
        except BadGoldError as error:
            return Abstain(f"unscorable: {error}")
        folded = kind not in ("exact", "fields") or "nfkc" in self.normalise
        located = locate(sample.completion, Location(self.answer_from, self.tag, self.marker or ""), folded=folded)
        return self._judge(subject, located)

    def _judge(self, subject: Subject, located: Located) -> Score:
        if located.cut_off:
            return _score(subject, _CUT_OFF, _CUT_OFF)
        anywhere = subject.read(located.outside.tail(MAX_OPEN), declared=False)
        if self.answer_from == "any":
            reading = anywhere
        elif located.place is None:
            reading = Reading(0.0, None, f"the completion has no {self._place()}")
        else:
            reading = subject.read(located.place, declared=True)
        return _score(subject, reading, anywhere)

    def _place(self) -> str:
        match self.answer_from:
            case "tag":
                return f"closed <{self.tag}> block outside the reasoning"
            case "boxed":
                return "balanced \\boxed{} outside the reasoning"
            case _:
                return f"{self.marker!r} outside the reasoning"


_CUT_OFF = Reading(0.0, None, "the reasoning is never closed, so there is no answer")


def _score(subject: Subject, reading: Reading, anywhere: Reading) -> Score:
    answer = reading.answer
    evidence = {
        "gold": subject.gold,
        "read": unfill(answer.text[:_EVIDENCE]) if answer else None,
        "span": [answer.start, answer.end] if answer else None,
    }
    metrics = {
        "strict": reading.value if reading.alone else 0.0,
        "lenient": max(reading.value, anywhere.value),
    }
    return Score(reading.value, reading.reason, evidence, metrics)


def _has_math_verify() -> bool:
    return find_spec("math_verify") is not None


_SUBJECTS: Mapping[str, Callable[[Reference, tuple[Fold, ...]], Subject]] = {
    "choice": lambda reference, _: Choice.of(reference),
    "exact": Exact.of,
    "fields": Fields.of,
    "numeric": lambda reference, _: Numeric.of(reference),
    "math": lambda reference, _: Math.of(reference),
}
