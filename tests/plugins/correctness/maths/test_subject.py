"""Mathematical answers, end to end."""

import pytest
from correctness_judge import judge, reason, value


def boxed(answer: str, gold: object, **keys: object) -> bool:
    reference = {"type": "math", "answer": gold, **keys}
    return value(f"so \\boxed{{{answer}}}", reference, answer_from="boxed") == 1.0


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("\\frac{5}{8}", "\\frac{5}{8}"),
        ("\\dfrac{5}{8}", "\\frac{5}{8}"),
        ("5/8", "\\frac{5}{8}"),
        ("0.625", "\\frac{5}{8}"),
        ("\\frac12", "0.5"),
        ("\\frac{1}2", "0.5"),
        ("\\frac 1 2", "0.5"),
        ("\\text{48}", "48"),
        ("\\mathbf{48}", "48"),
        ("48.0", "48"),
        ("1,234", "1234"),
        ("1{,}234", "1234"),
        ("48", 48),
        ("0.5", 0.5),
        ("$48$", "48"),
        ("\\(48\\)", "48"),
        ("+48", "48"),
        ("\\sqrt[3]{27}", "3"),
        ("\\sqrt{12}", "2\\sqrt{3}"),
        ("sqrt(12)", "2\\sqrt{3}"),
        ("√12", "2\\sqrt{3}"),
        ("2 sqrt 3", "2\\sqrt{3}"),
        ("pi/3", "\\frac{\\pi}{3}"),
        ("π/3", "\\frac{\\pi}{3}"),
        ("2π", "2\\pi"),
        ("x^2+2x+1", "(x+1)^2"),
        ("(x+1)(x-1)", "x^2-1"),
        ("x**2", "x^2"),
        ("x²", "x^2"),
        ("2^(n+1)", "2^{n+1}"),
        ("\\frac{1}{\\sqrt{2}}", "\\frac{\\sqrt{2}}{2}"),
        ("\\sin^2 x + \\cos^2 x", "1"),
        ("e^{i\\pi}", "-1"),
        ("\\log_2 8", "3"),
        ("\\binom{5}{2}", "10"),
        ("5!", "120"),
        ("90^\\circ", "90"),
        ("30°", "30^\\circ"),
        ("x = 5", "5"),
        ("5", "x = 5"),
        ("x=5", "x = 5"),
        ("2+3=5", "5"),
        ("\\sqrt{2} \\approx 1.414", "\\sqrt{2}"),
        ("0.333333", "\\frac{1}{3}"),
        ("y = -\\frac{1}{2}x + \\frac{2}{3}", "3x+6y-4=0"),
        ("-3x-4y+2z-10=0", "3x+4y-2z+10=0"),
        ("x^2+y^2=4", "y^2+x^2-4=0"),
        ("2^{-3}", "\\frac{1}{8}"),
        ("\\infty", "\\infty"),
        ("infinity", "\\infty"),
        ("-\\infty", "-\\infty"),
        ("\\text{no solution}", "\\text{no solution}"),
        ("East", "\\text{east}"),
        ("50\\%", "50%"),
        ("\\boxed{7}", "7"),
        ("\\left(x+1\\right)^2", "x^2+2x+1"),
        ("\\lfloor 3.5 \\rfloor", "3"),
        ("|{-3}|", "3"),
    ],
)
def test_equal_expressions(answer: str, gold: object) -> None:
    assert boxed(answer, gold)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("", "1"),
        ("\\frac{1}{3^{81}}", "\\frac{1}{3^{80}}"),
        ("10^{-20}", "10^{-21}"),
        ("0.0000001", "0.0000002"),
        ("1.0000001 \\cdot 10^{-9}", "0"),
        ("2 + \\frac{1}{\\pi}", "2 - \\frac{1}{\\pi}"),
        ("7\\sqrt(3)", "7"),
        ("7\\sqrt{3}", "7"),
        ("\\sqrt", "\\sqrt{2}"),
        ("\\sqrt{", "\\sqrt{2}"),
        ("\\frac{1}{", "1"),
        ("\\frac{1}{0}", "1"),
        ("0/0", "1"),
        ("7", "6"),
        ("0.33", "\\frac{1}{3}"),
        ("3.14", "\\pi"),
        ("x+1", "x+2"),
        ("y", "x"),
        ("x = 1", "y = 1"),
        ("x+y=1", "x+y=2"),
        ("x < 1", "x = 1"),
        ("1", "x < 1"),
        ("50", "50%"),
        ("0.5", "50%"),
        ("9^{9^{9^{9}}}", "1"),
        ("(10^{10})!", "1"),
        ("10^{10^{10}}", "1"),
        ("9^9^9^9^9", "1"),
        ("99999999999!", "1"),
        ("\\binom{100000000}{50000000}", "1"),
        ("7" * 1500, "7"),
        ("__import__('os').system('touch /tmp/reward_probe_math')*\\pi", "\\pi"),
        ("exec('1')", "1"),
        ("lambda: 1", "1"),
        ("5 or 6", "5"),
        ("5, 6", "5"),
        ("5 \\text{ and } 6", "5"),
        ("\\pm 5", "5"),
        ("5", "\\pm 5"),
        ("undefined", "1"),
        ("the answer", "1"),
        ("\\unknowncommand{5}", "5"),
        ("((((((((((" * 20 + "1" + "))))))))))" * 20, "1"),
        ("{" * 200 + "1" + "}" * 200, "1"),
    ],
)
def test_unequal_or_no_expressions(answer: str, gold: object) -> None:
    assert not boxed(answer, gold)


@pytest.mark.parametrize(
    ("answer", "gold", "kind", "ok"),
    [
        ("[0,2]", "(0,2]", "interval", False),
        ("(0,2]", "(0,2]", "interval", True),
        ("(0, 2\\,]", "(0,2]", "interval", True),
        ("]0,2]", "(0,2]", "interval", True),
        ("(0,2)", "(0,2]", "interval", False),
        ("(2,0]", "(0,2]", "interval", False),
        ("0 < x \\le 2", "(0,2]", "interval", True),
        ("0 < x < 2", "(0,2]", "interval", False),
        ("2 \\ge x > 0", "(0,2]", "interval", True),
        ("x \\in (0,2]", "(0,2]", "interval", True),
        ("x > 3", "(3,\\infty)", "interval", True),
        ("(3,\\infty)", "x > 3", None, True),
        ("x \\ge 3", "(3,\\infty)", "interval", False),
        ("(\\frac{1}{2}, 1)", "(0.5, 1)", "interval", True),
        ("(1,\\infty)\\cup(-\\infty,0)", "(-\\infty,0)\\cup(1,\\infty)", "interval", True),
        ("(1,\\infty)", "(-\\infty,0)\\cup(1,\\infty)", "interval", False),
        ("\\{3,1,2\\}", "\\{1,2,3\\}", "set", True),
        ("\\{1,2\\}", "\\{1,2,3\\}", "set", False),
        ("\\{1,2,3,4\\}", "\\{1,2,3\\}", "set", False),
        ("1,2,3", "\\{1,2,3\\}", "set", True),
        ("3 \\text{ and } 1 \\text{ and } 2", "\\{1,2,3\\}", "set", True),
        ("\\{1,1,2,3\\}", "\\{1,2,3\\}", "set", True),
        ("9", "4 \\text{ and } 9", "set", False),
        ("9, 4", "4 \\text{ and } 9", "set", True),
        ("x=4 \\text{ or } x=9", "4 \\text{ and } 9", "set", True),
        ("\\pm 3", "\\{-3,3\\}", "set", True),
        ("3, -3", "\\pm 3", None, True),
        ("2\\pm\\sqrt{3}", "2+\\sqrt{3}, 2-\\sqrt{3}", None, True),
        ("\\{4\\}", "4", None, True),
        ("\\emptyset", "\\emptyset", "set", True),
        ("(2,1)", "(1,2)", "tuple", False),
        ("(1,2)", "(1,2)", "tuple", True),
        ("1, 2", "(1,2)", "tuple", True),
        ("2, 1", "(1,2)", "tuple", False),
        ("\\left(\\frac{1}{2}, 3\\right)", "(0.5, 3)", "tuple", True),
        ("(1,2,3)", "(1,2)", "tuple", False),
        ("\\langle 1,2 \\rangle", "(1,2)", "tuple", True),
        ("\\{1,2\\}", "(1,2)", "tuple", False),
        ("n = 1, 5, 9", "n = 2, 5, 9", None, False),
        ("n = 9, 5, 2", "n = 2, 5, 9", None, True),
        ("2, 5, 9", "n = 2, 5, 9", None, True),
        ("y = 2, x = 1", "x = 1, y = 2", None, True),
        ("x = 2, y = 1", "x = 1, y = 2", None, False),
        ("2, 1", "x = 1, y = 2", None, False),
        ("x_1 = 2, x_2 = 1", "x_1 = 1, x_2 = 2", None, True),
        ("2, 4, 8, \\ldots, 2^n", "2, 4, \\ldots, 2n", None, False),
        ("2, 4, \\dots, 2n", "2, 4, \\ldots, 2n", None, True),
        ("\\begin{pmatrix}1&3\\\\2&4\\end{pmatrix}", "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", None, False),
        ("\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}", "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", None, True),
        ("\\begin{pmatrix}1&2\\\\\\frac{6}{2}&4\\end{pmatrix}", "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", None, True),
        ("\\begin{pmatrix}1&2&3&4\\end{pmatrix}", "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", None, False),
    ],
)
def test_structures(answer: str, gold: str, kind: str | None, *, ok: bool) -> None:
    keys = {"math_kind": kind} if kind else {}
    assert boxed(answer, gold, **keys) is ok


@pytest.mark.parametrize(
    ("completion", "gold", "ok"),
    [
        ("The answer is $\\frac{4}{9}$.", "\\frac{4}{9}", True),
        ("The answer is \\(\\frac{4}{9}\\).", "\\frac{4}{9}", True),
        ("Answer: 4/9", "\\frac{4}{9}", True),
        ("<answer>pi/3</answer>", "\\frac{\\pi}{3}", True),
        ("So x equals $x = 3$ here.", "3", True),
        ("$3$", "3", True),
        ("3", "3", True),
        ("x = 3", "3", True),
        ("It is 12 square units.", "12", True),
        ("The answer is 12 square units.", "12", True),
        ("答案是$\\frac{4}{9}$。", "\\frac{4}{9}", True),
        ("First $2$, then $3$.", "3", False),
        ("That gives \\boxed{12}. Wait, I skipped a bar, so \\boxed{15}.", "15", True),
        ("That gives \\boxed{12}. Wait, I skipped a bar, so \\boxed{15}.", "12", False),
        ("<think>\\boxed{\\frac{2}{7}} looks right.</think> I cannot determine the value.", "\\frac{2}{7}", False),
        ("<think>\\boxed{3}", "3", False),
        ("The answer is $3$ or $5$.", "3", False),
        ("The answer is $3$ or $5$.", "3, 5", True),
        ("The answer cannot be determined.", "3", False),
        ("", "3", False),
    ],
)
def test_finding_the_expression(completion: str, gold: str, *, ok: bool) -> None:
    assert (value(completion, {"type": "math", "answer": gold}) == 1.0) is ok


@pytest.mark.parametrize(
    "gold",
    [
        "",
        " ",
        "$$",
        "$ $",
        "\\boxed{}",
        "\\frac{",
        "\\frac{1}{",
        "nan",
        "NaN",
        "None",
        "null",
        "?",
        "=",
        "\\\\",
        None,
        True,
        [],
        {},
        float("nan"),
        float("inf"),
    ],
)
def test_bad_gold_is_unscorable(gold: object) -> None:
    reference = {"type": "math", "answer": gold}
    assert reason(reference, "\\boxed{5}", answer_from="boxed").startswith("unscorable: ")
    assert reason(reference, "\\boxed{}", answer_from="boxed").startswith("unscorable: ")


def test_unknown_kind_is_unscorable() -> None:
    assert "math_kind" in reason({"type": "math", "answer": "1", "math_kind": "ring"}, "1")


def test_any_of_several_golds() -> None:
    assert boxed("\\frac{1}{2}", ["0.5", "0.6"])
    assert not boxed("0.7", ["0.5", "0.6"])


def test_gold_too_large_to_evaluate_is_compared_by_its_spelling() -> None:
    gold = {"type": "math", "answer": "10^{10^{10}}"}
    assert value("\\boxed{10^{10^{10}}}", gold) == 1.0
    assert value("\\boxed{10^{10^{11}}}", gold) == 0.0


def test_reason_and_strictness() -> None:
    score = judge("so \\boxed{7}", {"type": "math", "answer": "7"}, answer_from="boxed")
    assert score.reason == "reads '7'"
    assert score.metrics == {"strict": 1.0, "lenient": 1.0}
