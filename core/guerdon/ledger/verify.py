"""Whether a ledger is whole: no row missing or doubled, and the advantages follow from the rows."""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from guerdon.errors import LedgerError
from guerdon.ledger.parts import Part
from guerdon.ledger.reader import Ledger


def verify(
    ledger: Ledger, *, steps: Iterable[int] = (), groups: int | None = None, group_size: int | None = None
) -> list[str]:
    """Return what is wrong, one sentence each; an empty list for a sound ledger.

    Args:
        ledger: the ledger.
        steps: training steps that must be there.
        groups: how many groups each training step must have.
        group_size: how many samples each group of a training step must have.
    """
    found = ledger.parts()
    trained = {part.step for part in found if part.phase == "train"}
    problems = [f"training step {step} is missing" for step in steps if step not in trained]
    for part in found:
        try:
            where = f"{part.stem}, step {part.step}"
            problems += [f"{where}: {problem}" for problem in _part(ledger, part, groups, group_size)]
        except LedgerError as error:
            problems.append(str(error))
    return problems


def _part(ledger: Ledger, part: Part, groups: int | None, group_size: int | None) -> Iterator[str]:
    samples, records = ledger.read("samples", [part]), ledger.read("records", [part])
    components = [component.name for component in ledger.rule(part).components]
    ids = samples["sample_id"].to_pylist()
    expected = Counter((sample, component) for sample in ids for component in components)
    rows = Counter(zip(records["sample_id"].to_pylist(), records["component"].to_pylist(), strict=True))
    yield from _doubled(ids)
    yield from (f"no record of {key}" for key in (expected - rows))
    yield from (f"a record too many of {key}" for key in (rows - expected))
    if part.phase == "train":
        yield from _sizes(samples, groups, group_size)
    if rows == expected:
        yield from _advantages(ledger, part, samples, records)


def _doubled(ids: list[str]) -> Iterator[str]:
    yield from (f"sample {name!r} stands {count} times" for name, count in Counter(ids).items() if count > 1)


def _sizes(samples: pa.Table, groups: int | None, group_size: int | None) -> Iterator[str]:
    sizes = Counter(samples["group_id"].to_pylist())
    if groups is not None and len(sizes) != groups:
        yield f"{len(sizes)} groups instead of {groups}"
    for group, size in sizes.items():
        if group_size is not None and size != group_size:
            yield f"group {group!r} has {size} samples instead of {group_size}"


def _advantages(ledger: Ledger, part: Part, samples: pa.Table, records: pa.Table) -> Iterator[str]:
    """Compare what is stored with what the rows give, bit for bit."""
    again = ledger.recompute_part(part)
    pairs = [
        ("total", samples, again.totals),
        ("advantage", samples, again.advantages),
        ("contribution", records, again.contributions.ravel()),
        ("advantage_share", records, None if again.shares is None else again.shares.ravel()),
    ]
    for column, table, value in pairs:
        stored = table[column].to_numpy()
        if value is not None and not np.array_equal(stored, value, equal_nan=True):
            yield f"{column} differs from what the rows give"
    if not np.array_equal(samples["trained"].to_numpy(), again.trained):
        yield "trained differs from what the rows give"
