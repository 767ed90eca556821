"""What a rescoring says in the terminal, and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guerdon.report.words import number, signed
from guerdon.rescoring.diff import Changed, Difference
from guerdon.rescoring.score import Rescored


def as_json(rescored: Rescored, difference: Difference | None) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    data: dict[str, Any] = {
        "folder": str(rescored.ledger.folder.parent),
        **{name: getattr(rescored, name) for name in ("samples", "kept", "found", "scored")},
    }
    if difference is not None:
        equal, compared = difference.reproduced()
        shape = asdict(difference) | {"lost": sorted(difference.lost), "added": sorted(difference.added)}
        data["diff"] = shape | {"reproduced": {"equal": equal, "of": compared}}
    return data


def print_rescored(rescored: Rescored, console: Console) -> None:
    """Say what was scored."""
    kept = f" ({rescored.kept} more were there already)" if rescored.kept else ""
    records = rescored.found + rescored.scored
    cached = f"; {rescored.found} of {records} records came from the cache" if rescored.found else ""
    console.print(f"{rescored.samples} samples scored{kept}{cached}", highlight=False)


def print_difference(difference: Difference, console: Console) -> None:
    """Say what changed."""
    if difference.components:
        console.print(component_table(difference))
    for line in sentences(difference):
        console.print(f"- {escape(line)}", highlight=False, soft_wrap=True)
    if difference.shown:
        console.print(changed_table(difference))


def component_table(difference: Difference) -> Table:
    """Lay out the components before and after."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("component", "code and fields"):
        table.add_column(name)
    for name in ("records", "equal", "mean before", "after"):
        table.add_column(name, justify="right")
    for name, change in difference.components.items():
        means = [number(total / change.both) if change.both else "none" for total in (change.before, change.after)]
        state = "the same" if change.same else "changed"
        table.add_row(escape(name), state, str(change.compared), str(change.equal), *means)
    return table


def changed_table(difference: Difference) -> Table:
    """Lay out the samples that changed the most."""
    title = "samples that changed, the largest changes of the advantage first"
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    table.add_column("step", justify="right")
    for name in ("advantage before", "after"):
        table.add_column(name, justify="right")
    table.add_column("scores")
    table.add_column("sample")
    for changed in difference.shown[:10]:
        table.add_row(str(changed.step), *map(signed, changed.advantage), escape(_values(changed)), changed.sample_id)
    return table


def _values(changed: Changed) -> str:
    pairs = {name: [_word(value) for value in values] for name, values in changed.values.items()}
    return ", ".join(f"{name} {before} to {after}" for name, (before, after) in pairs.items())


def _word(value: float | None) -> str:
    return "none" if value is None else number(value)


def sentences(difference: Difference) -> list[str]:
    """Say in words what changed."""
    return list(_sentences(difference))


def _sentences(difference: Difference) -> Iterator[str]:
    equal, compared = difference.reproduced()
    if compared:
        yield f"With the same code and fields: {equal} of {compared} values equal."
        if equal < compared:
            names = [name for name, change in difference.components.items() if change.same and change.lacks]
            yield (
                f"Some do not come out again: {', '.join(names)}. Such a reward depends on chance, on the machine, on "
                "files that its hash does not cover, or on token ids, which no ledger holds."
            )
    failed = sum(change.failed for change in difference.components.values())
    if failed:
        yield f"{failed} records that the infrastructure failed are not compared; score again to fill them."
    if difference.unmatched:
        yield f"{difference.unmatched} samples have no counterpart with the same id and completion."
    for words, components in (("no longer there", difference.lost), ("new", difference.added)):
        if components:
            yield f"Components that are {words}: {', '.join(sorted(components))}."
    changed = f"{difference.changed} of {difference.samples} samples are scored otherwise"
    yield f"{changed}; {difference.flips} advantages change sign."
    yield (
        f"{difference.reversed} of {difference.ordered} pairs of completions of one prompt change their order; in "
        f"{difference.winners} of {difference.groups} groups another completion comes first."
    )
