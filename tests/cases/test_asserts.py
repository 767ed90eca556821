"""The closed predicates."""

import pytest
from case_runner.asserts import MISSING, fault, resolve
from case_runner.checks import fault as check
from case_runner.model import completion_of, metadata_of, text_of
from case_runner.probes import decode

VIEW = {
    "error": None,
    "samples": [
        {"total": 0.5, "components": {"p": {"status": "ok", "value": 0.5}, "q": {"status": "error", "value": None}}},
        {"total": None, "components": {"p": {"status": "ok", "value": 0.25}, "q": {"status": "error", "value": 0.0}}},
    ],
    "alt": {"samples": [{"total": 0.5}]},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("error", [None]),
        ("samples[0].total", [0.5]),
        ("samples[*].components.p.status", ["ok", "ok"]),
        ("samples[0].components.*.status", ["ok", "error"]),
        ("samples[9].total", [MISSING]),
        ("alt.samples[0].total", [0.5]),
        ("nothing.at.all", [MISSING]),
    ],
)
def test_paths(path: str, found: list[object]) -> None:
    assert resolve(VIEW, path) == found


@pytest.mark.parametrize(
    ("path", "operator", "value", "holds"),
    [
        ("error", "is_null", None, True),
        ("error", "not_null", None, False),
        ("error", "eq", None, False),
        ("error", "ne", 1, True),
        ("error", "in", [None, 0], True),
        ("samples[0].total", "eq", 0.5, True),
        ("samples[0].total", "lt", 0.6, True),
        ("samples[0].total", "le", 0.5, True),
        ("samples[0].total", "gt", 0.5, False),
        ("samples[0].total", "ge", 0.5, True),
        ("samples[1].total", "lt", 1, False),
        ("samples[1].total", "ge", 0, False),
        ("samples[0].total", "close", 0.5000001, True),
        ("samples[1].total", "close", 0, False),
        ("samples", "len_eq", 2, True),
        ("samples[0].components.p.status", "contains", "OK", True),
        ("samples[0].total", "eq_path", "alt.samples[0].total", True),
        ("samples[0].total", "lt_path", "alt.samples[0].total", False),
        ("samples[0].total", "le_path", "alt.samples[0].total", True),
        ("samples[1].total", "eq_path", "error", True),
        ("samples[*].components.p.status", "all_eq", "ok", True),
        ("samples[*].components.q.value", "all_eq", 0.0, False),
        ("samples[*].components.q.value", "all_in", [0.0, None], True),
        ("samples[*].components.*.value", "all_le", 0.5, True),
        ("samples[*].components.*.value", "all_le", 0.4, False),
        ("samples[*].components.none.value", "all_le", 0.4, False),
        ("nothing[*].x", "all_eq", 1, False),
        ("nothing", "is_null", None, False),
        ("nothing", "ne", 1, False),
    ],
)
def test_operators(path: str, operator: str, value: object, *, holds: bool) -> None:
    assert (fault(VIEW, {"path": path, "op": operator, "value": value}) == "") is holds


def test_unknown_operators_are_not_passed_over() -> None:
    with pytest.raises(KeyError):
        fault(VIEW, {"path": "error", "op": "near"})


def _view(status: str = "ok", value: float | None = 1.0, **more: object) -> dict[str, object]:
    component = {"status": status, "value": value, "reason": "", "flagged": (value or 0) < 0, "categories": ["pii"]}
    return {"error": None, "elapsed_s": 0.1, "samples": [{"total": value, "components": {"p": component}}], **more}


@pytest.mark.parametrize(
    ("expected", "view", "holds"),
    [
        ({"check": "score", "value": 1.0}, _view(), True),
        ({"check": "score", "value": 0.0}, _view(), False),
        ({"check": "score", "value": 0.0}, _view("error", 0.0), False),
        ({"check": "score", "min": 0.5, "max": 1.0}, _view(), True),
        ({"check": "score", "max": 0.5}, _view(), False),
        ({"check": "no_raise", "within_s": 1}, _view(), True),
        ({"check": "no_raise", "within_s": 0.01}, _view(), False),
        ({"check": "no_raise", "within_s": 1, "score": 0.0}, _view("timeout", 0.0), True),
        ({"check": "no_raise", "within_s": 1, "score": 0.0}, _view("error", 0.0), False),
        ({"check": "no_raise"}, _view() | {"error": "ValueError", "error_message": "x"}, False),
        ({"check": "flag", "categories": ["pii"]}, _view(value=-1.0), True),
        ({"check": "flag", "categories": ["url"]}, _view(value=-1.0), False),
        ({"check": "flag", "categories": ["pii"]}, _view(value=0.0), False),
        ({"check": "clean"}, _view(value=0.0), True),
        ({"check": "clean"}, _view(value=-1.0), False),
        ({"check": "unscorable"}, _view("abstain", None), True),
        ({"check": "unscorable"}, _view("error", 0.0), True),
        ({"check": "unscorable"}, _view("error", 0.5), False),
        ({"check": "unscorable"}, _view("ok", 0.0), False),
        ({"check": "config_error"}, {"refused": True}, True),
        ({"check": "config_error"}, _view(), False),
        ({"check": "any_of", "options": [{"check": "config_error"}, {"check": "score", "value": 1.0}]}, _view(), True),
        ({"check": "any_of", "options": [{"check": "config_error"}, {"check": "score", "value": 0.0}]}, _view(), False),
        ({"check": "asserts", "asserts": [{"path": "error", "op": "is_null"}]}, _view(), True),
    ],
)
def test_checks(expected: dict[str, object], view: dict[str, object], *, holds: bool) -> None:
    assert (check(expected, {"": view}, "p") == "") is holds


@pytest.mark.parametrize(
    ("relation", "holds"), [("a > b", True), ("b > a", False), ("a >= b", True), ("a == b", False), ("a == a", True)]
)
def test_orders(relation: str, *, holds: bool) -> None:
    views = {"a": _view(value=1.0), "b": _view(value=0.5)}
    for on in ("component", "total"):
        assert (check({"check": "order", "on": on, "relations": [relation]}, views, "p") == "") is holds


def test_reading_a_case() -> None:
    assert completion_of({"completion_parts": [["ab", 2], ["c", 1]]}) == "ababc"
    assert metadata_of({"metadata": {"token_ids_parts": [[[1, 2], 2]]}}) == {"token_ids": [1, 2, 1, 2]}
    assert (
        text_of([{"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}])
        == "ab"
    )
    assert text_of(None) == ""


def test_values_of_test_plugins() -> None:
    assert decode(None) is None
    assert decode("bool:True") is True
    assert decode("numpy.float32:0.5") == 0.5
    assert decode([1, "inf"]) == [1, float("inf")]
    with pytest.raises(ZeroDivisionError):
        decode("raise:ZeroDivisionError")
    with pytest.raises(Exception, match="test plugin"):
        decode("raise:SomethingOfItsOwn")
