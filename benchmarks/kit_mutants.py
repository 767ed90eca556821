"""Small faults put into the built-in plugins, one at a time: does the kit notice?

Each mutant changes one place of one module, drawn by a seed from the lines that run while the kit
checks the plugin. It is checked in a forked process, with the plugins imported anew. A mutant counts
as caught if it does not import, hangs, or the kit's report fails on a trial that the plugin passes as it is
(a few of the graders' cases have a configuration for which some attack is no attack).
"""

import ast
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

from benchmarks.kit_samples import CONFIGURED, trials
from benchmarks.runner import Target
from guerdon.testing import check_reward
from guerdon.testing.attacks import Judges

EACH = int(os.environ.get("GUERDON_KIT_MUTANTS", "40"))
"""Mutants of each plugin."""

LIMIT_S = 60
"""A mutant that takes longer hangs."""

LEAST = 0.9
JUDGES: dict[str, Judges] = {
    "correctness": "answer",
    "format": "form",
    "grounding": "answer",
    "length": "harm",
    "safety": "harm",
}
TOOL = sys.monitoring.COVERAGE_ID

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed place."""

    module: str
    file: str
    number: int
    """The place among those of the module that can be changed."""

    line: int


class Change(ast.NodeTransformer):
    """Changes the place with one number, and notes the line of every place."""

    def __init__(self, number: int = -1) -> None:
        self.number = number
        self.lines: list[int] = []

    def visit(self, node: ast.AST) -> ast.AST:
        """Change the node if it is the one; what is below it counts after it."""
        changed = _changed(node)
        if changed is None:
            return self.generic_visit(node)
        self.lines.append(node.lineno)
        if len(self.lines) - 1 == self.number:
            return ast.copy_location(changed, node)
        return self.generic_visit(node)


def _changed(node: ast.AST) -> ast.AST | None:
    """Return what a node becomes, or None for a node that stays."""
    changed: ast.AST | None = None
    match node:
        case ast.Compare(left=left, ops=[op], comparators=comparators) if type(op) in _COMPARED:
            changed = ast.Compare(left, [_COMPARED[type(op)]()], comparators)
        case ast.BoolOp(op=op, values=values):
            changed = ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            changed = operand
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            changed = ast.BinOp(left, _ARITHMETIC[type(op)](), right)
        case ast.Return(value=ast.Constant(value=bool() as value)):
            changed = ast.Return(ast.Constant(not value))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            changed = ast.IfExp(test, orelse, body)
        case ast.Constant(value=float() as value):
            changed = ast.Constant(1.0 - value)
    return changed


def mutants(plugin: str, count: int) -> list[Mutant]:
    """Draw mutants of a plugin from the lines that the kit runs."""
    found: list[Mutant] = []
    for file, lines in sorted(_lines_run(plugin).items()):
        change = Change()
        change.visit(ast.parse(Path(file).read_text(encoding="utf-8")))
        module = file.rpartition("/plugins/")[2].removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        found += [Mutant(module, file, place, line) for place, line in enumerate(change.lines) if line in lines]
    own = [mutant for mutant in found if f".{plugin}." in f"{mutant.module}."]
    return random.Random(0).sample(own, min(count, len(own)))


def _lines_run(plugin: str) -> dict[str, set[int]]:
    """Return the lines of each file of the plugins that run in functions while the kit checks one."""
    seen: dict[str, set[int]] = {}

    def note(code: CodeType, line: int) -> object:
        if "/guerdon_plugins/" in code.co_filename and code.co_name != "<module>":
            seen.setdefault(code.co_filename, set()).add(line)
        return sys.monitoring.DISABLE

    sys.monitoring.use_tool_id(TOOL, "kit")
    sys.monitoring.register_callback(TOOL, sys.monitoring.events.LINE, note)
    sys.monitoring.set_events(TOOL, sys.monitoring.events.LINE)
    try:
        _passes(plugin)
    finally:
        sys.monitoring.set_events(TOOL, 0)
        sys.monitoring.free_tool_id(TOOL)
    return seen


def _passes(plugin: str) -> list[bool]:
    """Check a plugin; tell for each trial whether nothing fails."""
    return [check_reward(trial.reward, trial.cases, JUDGES[plugin]).ok for trial in trials(plugin)]


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the mutated module in place of the one on disk."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find only the mutated module."""
        if fullname != self.mutant.module:
            return None
        return importlib.util.spec_from_file_location(fullname, self.mutant.file, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source."""
        tree = Change(self.mutant.number).visit(ast.parse(Path(self.mutant.file).read_text(encoding="utf-8")))
        exec(compile(ast.fix_missing_locations(tree), self.mutant.file, "exec"), module.__dict__)


def caught(plugin: str, mutant: Mutant, before: Sequence[bool]) -> bool:
    """Check a mutant in a process of its own; `before` tells which trials pass without it."""
    child = os.fork()
    if child == 0:
        os._exit(_judge(plugin, mutant, before))
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) != 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _judge(plugin: str, mutant: Mutant, before: Sequence[bool]) -> int:
    """Return 0 if the kit notices nothing."""
    try:
        for name in [name for name in sys.modules if name.partition(".")[0] == "guerdon_plugins"]:
            del sys.modules[name]
        sys.meta_path.insert(0, Finder(mutant))
        return int(any(was and not now for was, now in zip(before, _passes(plugin), strict=True)))
    except BaseException:  # noqa: BLE001 - a mutant may raise anything
        return 1


def survivors(plugin: str, count: int = EACH) -> tuple[int, list[Mutant]]:
    """Return how many mutants were made, and those that nobody noticed."""
    drawn, before = mutants(plugin, count), _passes(plugin)
    return len(drawn), [mutant for mutant in drawn if not caught(plugin, mutant, before)]


def targets() -> Iterator[Target]:
    """Check mutants of each plugin."""
    for plugin in CONFIGURED:
        count, left = survivors(plugin)
        share = (count - len(left)) / count
        name = f"mutants of {plugin} that the kit notices (of all)"
        yield Target(name, count - len(left), count, share, 0.0, f">= {LEAST:g}", share >= LEAST)


def run() -> list[Target]:
    """Check mutants of all plugins: about half an hour on two cores."""
    return list(targets())
