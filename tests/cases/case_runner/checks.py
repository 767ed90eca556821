"""Whether the result of a case is what the case expects."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from case_runner import asserts

type Json = Any
type View = Mapping[str, Json]

_EXACT = 1e-9
_RELATION = re.compile(r"(\w+)\s*(>=|==|>)\s*(\w+)")


def fault(expected: Mapping[str, Json], views: Mapping[str, View], component: str) -> str:
    """Say how the result differs from what is expected; an empty text if it does not.

    Args:
        expected: the check.
        views: the result of every variant by name; the only one has an empty name.
        component: the component that plugin checks look at.
    """
    check = expected["check"]
    if check == "any_of":
        faults = [fault(option, views, component) for option in expected["options"]]
        return "" if "" in faults else "; or ".join(faults)
    if check == "order":
        return _order(expected, views, component)
    return _CHECKS[check](expected, next(iter(views.values())), component)


def _first(view: View, component: str) -> Json:
    return view["samples"][0]["components"][component] if view.get("samples") else None


def _raised(view: View) -> str:
    return f"raised {view['error']}: {view['error_message']}"[:400] if view["error"] else ""


def _score(expected: Mapping[str, Json], view: View, component: str) -> str:
    if raised := _raised(view):
        return raised
    found = _first(view, component)
    if found["status"] != "ok":
        return f"{found['status']} ({found['reason']}), wanted a score"
    return _value(expected, found["value"], expected.get("value"), found["reason"])


def _value(expected: Mapping[str, Json], value: float, wanted: float | None, reason: str) -> str:
    tolerance = expected.get("tol", asserts.TOLERANCE)
    low, high = expected.get("min", float("-inf")), expected.get("max", float("inf"))
    if wanted is not None and abs(value - wanted) > tolerance:
        return f"{value} ({reason}), wanted {wanted}"
    return "" if low - _EXACT <= value <= high + _EXACT else f"{value} ({reason}), wanted {low} to {high}"


def _no_raise(expected: Mapping[str, Json], view: View, component: str) -> str:
    if raised := _raised(view):
        return raised
    if view["elapsed_s"] > expected.get("within_s", float("inf")):
        return f"took {view['elapsed_s']:.1f} s, wanted {expected['within_s']}"
    wanted = expected.get("score")
    if wanted is None and "min" not in expected and "max" not in expected:
        return ""
    found = _first(view, component)
    if found["status"] == "timeout" and wanted == 0:
        return ""
    return _score({**expected, "value": wanted}, view, component)


def _flag(expected: Mapping[str, Json], view: View, component: str) -> str:
    if raised := _raised(view):
        return raised
    found = _first(view, component)
    if found["status"] != "ok" or not found["flagged"]:
        return f"{found['status']}, {found['value']} ({found['reason']}), wanted a flag"
    wanted = set(expected.get("categories") or found["categories"])
    return "" if wanted & set(found["categories"]) else f"flagged as {found['categories']}, wanted {sorted(wanted)}"


def _clean(expected: Mapping[str, Json], view: View, component: str) -> str:
    del expected
    if raised := _raised(view):
        return raised
    found = _first(view, component)
    ok = found["status"] == "ok" and not found["flagged"]
    return "" if ok else f"{found['status']}, {found['value']} ({found['reason']}), wanted clean"


def _unscorable(expected: Mapping[str, Json], view: View, component: str) -> str:
    del expected
    if raised := _raised(view):
        return raised
    found = _first(view, component)
    paid = max(found["value"] or 0.0, view["samples"][0]["total"] or 0.0)
    if found["status"] in ("error", "abstain") and paid <= 0:
        return ""
    return f"{found['status']} with {paid} ({found['reason']}), wanted error or abstain without pay"


def _config_error(expected: Mapping[str, Json], view: View, component: str) -> str:
    del expected, component
    return "" if view.get("refused") else f"accepted, wanted a configuration error ({_raised(view) or 'scored'})"


def _asserts(expected: Mapping[str, Json], view: View, component: str) -> str:
    del component
    faults = [found for assertion in expected["asserts"] if (found := asserts.fault(view, assertion))]
    return "; ".join([*faults, *([_raised(view)] if faults and view["error"] else [])])


def _order(expected: Mapping[str, Json], views: Mapping[str, View], component: str) -> str:
    for view in views.values():
        if raised := _raised(view):
            return raised
    total = expected.get("on") == "total"
    values = {
        name: view["samples"][0]["total"] if total else _first(view, component)["value"] for name, view in views.items()
    }
    for relation in expected["relations"]:
        match = _RELATION.fullmatch(relation.strip())
        if match is None:
            raise ValueError(f"the relation {relation!r} is not understood")
        left, right = values[match[1]], values[match[3]]
        if left is None or right is None or not _holds(left, match[2], right):
            return f"{relation} does not hold for {values}"
    return ""


def _holds(left: float, sign: str, right: float) -> bool:
    if sign == "==":
        return abs(left - right) <= _EXACT
    return left > right + _EXACT if sign == ">" else left >= right - _EXACT


_CHECKS: dict[str, Callable[[Mapping[str, Json], View, str], str]] = {
    "score": _score,
    "no_raise": _no_raise,
    "flag": _flag,
    "clean": _clean,
    "unscorable": _unscorable,
    "config_error": _config_error,
    "asserts": _asserts,
}
