"""What is compared: one evaluation of a run, named as ``runs/demo@20:greedy``."""

import re
from dataclasses import dataclass
from pathlib import Path

from guerdon.errors import ConfigError, LedgerError
from guerdon.ledger import Phase, Sampling
from guerdon.ledger.rule import Rule
from guerdon.review.run import Run, open_run

_SPEC = re.compile(r"^(?P<path>.+?)(?:@(?P<step>\d+|first|last))?(?::(?P<sampling>greedy|sampled))?$")

SAMPLINGS: tuple[Sampling, ...] = ("greedy", "sampled")


@dataclass(frozen=True, slots=True)
class Side:
    """One evaluation: a run at a step."""

    name: str
    run: Run
    step: int
    sampling: Sampling | None
    """None: whichever all sides have, greedy first."""

    rule: Rule

    def has(self, phase: Phase, sampling: Sampling) -> bool:
        """Say whether the ledger holds that evaluation."""
        return any(part.step == self.step for part in self.run.ledger.parts(phase=phase, sampling=sampling))


def parse_side(text: str) -> Side:
    """Open a side.

    Args:
        text: a run's folder or ledger, with ``@STEP`` (the last evaluation without one; ``first``
            and ``last`` are steps too) and ``:greedy`` or ``:sampled``, each if wanted.

    Raises:
        ConfigError: there is no such evaluation; lists those that there are.
        LedgerError: there is no ledger.
    """
    match = _SPEC.match(text)
    assert match is not None
    path = Path(text) if Path(text).exists() else Path(match["path"])
    spec = {} if path == Path(text) else match.groupdict()
    run = open_run(path)
    sampling = next((one for one in SAMPLINGS if one == spec.get("sampling")), None)
    found = [part for part in run.ledger.parts(phase="eval") if sampling in (None, part.sampling)]
    if not found:
        raise LedgerError(f"{path} holds no{f' {sampling}' if sampling else ''} evaluation; set runtime.eval_interval")
    steps = sorted({part.step for part in found})
    wanted = spec.get("step") or "last"
    step = {"first": steps[0], "last": steps[-1]}.get(wanted, int(wanted) if wanted.isdigit() else -1)
    if step not in steps:
        raise ConfigError(f"{path} has no evaluation at step {step}; it has some at {', '.join(map(str, steps))}")
    rule = run.ledger.rule(next(part for part in found if part.step == step))
    return Side(f"{run.name}@{step}", run, step, sampling, rule)


def common_sampling(sides: list[Side]) -> Sampling:
    """Return the sampling that all sides are compared in.

    Raises:
        ConfigError: they have none in common.
    """
    wanted = {side.sampling for side in sides if side.sampling}
    for sampling in SAMPLINGS:
        if wanted <= {sampling} and all(side.has("eval", sampling) for side in sides):
            return sampling
    names = ", ".join(side.name for side in sides)
    raise ConfigError(f"{names} have no sampling in common; evaluate them alike, greedy or sampled")


def named(sides: list[Side]) -> list[str]:
    """Return names that differ: the folder tells runs of one name apart."""
    names = [side.name for side in sides]
    return [
        name if names.count(name) == 1 else f"{side.run.folder}@{side.step}"
        for name, side in zip(names, sides, strict=True)
    ]
