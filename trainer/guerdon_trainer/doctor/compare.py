"""Which fields differ between nodes, and which node is the odd one out. Pure functions."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from guerdon import RunError
from guerdon_trainer.doctor.facts import Facts


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A field that is not the same on all nodes."""

    field: str
    values: Mapping[str, str | None]
    """Node to value; None where the field does not apply."""

    odd: tuple[str, ...]
    """The nodes that differ from the most common value; all of them where no value is the most common."""


def compare(nodes: Mapping[str, Facts]) -> list[Mismatch]:
    """Return the fields that differ between nodes, in the order in which the nodes name them.

    A field that one node lacks altogether differs; one that does not apply to a node (None) is not
    compared there.
    """
    fields = dict.fromkeys(field for facts in nodes.values() for field in facts)
    found = (_mismatch(field, {node: facts.get(field, "absent") for node, facts in nodes.items()}) for field in fields)
    return [mismatch for mismatch in found if mismatch]


def _mismatch(field: str, values: dict[str, str | None]) -> Mismatch | None:
    counted = Counter(value for value in values.values() if value is not None).most_common()
    if len(counted) < 2:
        return None
    (common, most), (_, second), *_ = counted
    odd = tuple(node for node, value in values.items() if value is not None and (value != common or most == second))
    return Mismatch(field, values, odd)


def check_same(nodes: Mapping[str, Facts]) -> None:
    """Refuse nodes that differ.

    Raises:
        RunError: with a line for each field: what each node has, the odd ones named.
    """
    if mismatches := compare(nodes):
        lines = "\n".join(describe(mismatch) for mismatch in mismatches)
        raise RunError(f"the {len(nodes)} nodes do not run the same:\n{lines}\nGive all of them one image")


def describe(mismatch: Mismatch) -> str:
    """Return one line about a field."""
    by_value: dict[str, list[str]] = {}
    for node, value in mismatch.values.items():
        if value is not None:
            by_value.setdefault(value, []).append(node)
    told = "; ".join(f"{value} on {', '.join(names)}" for value, names in by_value.items())
    odd = "" if len(mismatch.odd) == len(mismatch.values) else f" (odd: {', '.join(mismatch.odd)})"
    return f"  {mismatch.field}: {told}{odd}"
