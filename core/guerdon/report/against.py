"""A run beside other evaluations, such as base, SFT and GRPO."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from guerdon.comparison.compare import compare
from guerdon.comparison.sides import Side, parse_side
from guerdon.comparison.tables import facts
from guerdon.errors import ConfigError
from guerdon.report.plain import plain
from guerdon.review import Run


def read_against(run: Run, named: Sequence[str]) -> dict[str, Any] | None:
    """Compare the run's first and last evaluation with others, on the prompts that all have.

    Args:
        run: the run that the page is about.
        named: each ``NAME=RUN`` or ``NAME=RUN@STEP``, in the order in which they are compared; the
            run's own evaluations come last, unless named themselves.

    Returns:
        The comparison as JSON holds it, or None if nothing is named.

    Raises:
        ConfigError: a name is missing or used twice, or there is no such evaluation.
        DataError: no prompt is the same on all sides.
    """
    if not named:
        return None
    sides = [_side(text) for text in named]
    for when, label in (("first", "before training"), ("last", "after training")):
        own = parse_side(f"{run.folder}@{when}")
        if not any(_same(own, side) for side in sides):
            sides.append(replace(own, name=f"{label} (step {own.step})"))
    names = [side.name for side in sides]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"--against names {', '.join(twice)} twice; give each evaluation a name of its own")
    if len(sides) < 2:
        raise ConfigError("--against names the run's only evaluation; name another one to compare it with")
    found: dict[str, Any] = plain(facts(compare(sides)))
    return found


def _side(text: str) -> Side:
    name, equals, spec = text.partition("=")
    if not (name and equals and spec):
        raise ConfigError(f"--against {text}: write NAME=RUN, such as base=runs/base or SFT=runs/demo@first")
    return replace(parse_side(spec), name=name)


def _same(one: Side, other: Side) -> bool:
    return one.step == other.step and one.run.ledger.folder.resolve() == other.run.ledger.folder.resolve()
