"""Rendering of a reweighted run: tables in the terminal and a page."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guerdon.report.page import write_page
from guerdon.report.plain import plain
from guerdon.report.words import number, signed
from guerdon.review.reweight import Reweighting, Side

SCRIPTS = ("dom.js", "data.js", "chart.js", "overview.js", "reweight.js")


def print_reweighting(result: Reweighting, console: Console) -> None:
    """Print what another rule makes of a run."""
    console.print(component_table(result))
    for line in sentences(result):
        console.print(f"- {escape(line)}", highlight=False)
    if result.flips:
        console.print(flip_table(result))


def write_reweighting(result: Reweighting, output: Path) -> Path:
    """Write the page and return where it is."""
    data: dict[str, Any] = plain(result) | {"sentences": sentences(result)}
    return write_page(output, SCRIPTS, f"{result.run} reweighted", data, {})


def component_table(result: Reweighting) -> Table:
    """Lay out weights and parts in the update, before and after."""
    title = escape(f"{result.run}: advantage {result.modes[0]} before, {result.modes[1]} after")
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    table.add_column("component")
    for name in ("weight before", "after", "of update before", "after"):
        table.add_column(name, justify="right")
    for name, (before, after) in result.weights.items():
        cells = [f"{name}*" if name == result.outcome else name, before, after]
        cells += [_percent(mean_update(result, name, side)) for side in (_before, _after)]
        table.add_row(*(escape(cell) for cell in cells))
    return table


def flip_table(result: Reweighting) -> Table:
    """Lay out the samples whose advantage changes sign the most."""
    title = "advantages that change sign, the largest changes first"
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    for name in ("step", "before", "after", *result.weights):
        table.add_column(escape(name), justify="right")
    table.add_column("sample")
    for flip in result.flips[:10]:
        values = ["none" if flip.values[name] is None else number(flip.values[name] or 0.0) for name in result.weights]
        table.add_row(str(flip.step), signed(flip.before), signed(flip.after), *values, escape(flip.sample_id))
    return table


def sentences(result: Reweighting) -> list[str]:
    """Say what changes."""
    return list(_sentences(result))


def _sentences(result: Reweighting) -> Iterator[str]:
    samples, flips, ordered, turned, groups, winners = (
        sum(getattr(step, name) for step in result.steps)
        for name in ("samples", "flips", "ordered", "reversed", "groups", "winners")
    )
    silent = [sum(side(step).constant for step in result.steps) for side in (_before, _after)]
    trained = [sum(side(step).trained for step in result.steps) for side in (_before, _after)]
    yield f"{flips} of {samples} advantages change sign ({_percent(_ratio(flips, samples))})."
    yield (
        f"{turned} of {ordered} pairs of completions of one prompt change their order "
        f"({_percent(_ratio(turned, ordered))}); in {winners} of {groups} groups another completion comes first."
    )
    yield (
        f"{silent[0]} groups taught nothing before, {silent[1]} after; {trained[0]} samples took part before, "
        f"{trained[1]} after."
    )
    yield (
        "These are the completions of the run as it was: under the new rule the policy would have written others from "
        "the second step on."
    )


type _Pick = Callable[[Any], Side]


def _before(step: Any) -> Side:
    side: Side = step.before
    return side


def _after(step: Any) -> Side:
    side: Side = step.after
    return side


def mean_update(result: Reweighting, component: str, side: _Pick) -> float:
    """Return a component's mean share in the updates; NaN where no step has shares."""
    shares = [side(step).update[component] for step in result.steps if component in side(step).update]
    return sum(shares) / len(shares) if shares else math.nan


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _percent(value: float) -> str:
    return f"{value:.1%}" if math.isfinite(value) else "none"
