"""Numbers: reading them, tolerance, percent, units, locales."""

import pytest
from correctness_judge import judge, reason, value


def right(completion: str, gold: object, **keys: object) -> bool:
    return value(completion, {"type": "numeric", "answer": gold, **keys}) == 1.0


def tagged(answer: str, gold: object, **keys: object) -> bool:
    reference = {"type": "numeric", "answer": gold, **keys}
    return value(f"<answer>{answer}</answer>", reference, answer_from="tag") == 1.0


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("48,210", "48210"),
        ("48210", "48,210"),
        ("48 210", "48210"),
        ("1 234 567", "1234567"),
        ("48\u202f210", "48210"),
        ("48{,}210", "48210"),
        ("48\\,210", "48210"),
        ("1,234,567.5", "1234567.5"),
        ("−7", "-7"),
        ("-7", "-7"),
        ("–7", "-7"),
        ("- 7", "-7"),
        ("minus 7", "-7"),
        ("negative seven", "-7"),
        ("负七", "-7"),
        ("+7", "7"),
        ("４２", "42"),
        ("4.20e1", "42"),
        ("$3.2 \\times 10^{4}$", "32000"),
        ("3.2×10⁴", "32000"),
        ("3.2 x 10^4", "32000"),
        ("3.2E4", "32000"),
        ("3.2*10^4", "32000"),
        ("5 × 10^-3", "0.005"),
        ("10^6", "1000000"),
        ("2^{10}", "1024"),
        ("1 3/4", "1.75"),
        ("7/4", "1.75"),
        ("1¾", "1.75"),
        ("\\frac{7}{4}", "1.75"),
        ("1\\frac{3}{4}", "1.75"),
        ("\\dfrac74", "1.75"),
        ("-\\frac{1}{2}", "-0.5"),
        ("one and three quarters", "1.75"),
        (".75", "0.75"),
        ("three quarters", "0.75"),
        ("forty-two", "42"),
        ("one hundred and five", "105"),
        ("四十二", "42"),
        ("两百零五", "205"),
        ("3.8 billion", "3800000000"),
        ("3.8bn", "3800000000"),
        ("12 thousand", "12000"),
        ("12k", "12000"),
        ("3.8M", "3800000"),
        ("3.5万", "35000"),
        ("1.2亿", "120000000"),
        ("2 dozen", "24"),
        ("$318", "318"),
        ("\\$318", "318"),
        ("€5", "5"),
        ("42 apples", "42"),
        ("about 42", "42"),
        ("≈42", "42"),
        ("**42**", "42"),
        ("`42`", "42"),
        ("42.", "42"),
        ("[42]!", "42"),
        ("(42)", "42"),
        ('"42"', "42"),
        ("\\text{42}", "42"),
        ("\\boxed{42}", "42"),
        ("x = 42", "42"),
        ("6 × 7 = 42", "42"),
        ("42 = 6 × 7", "42"),
        ("p+q = 118+45 = 163", "163"),
        ("42 (forty-two)", "42"),
        ("forty-two (42)", "42"),
        ("not 41 but 42", "42"),
        ("41, no, 42", "42"),
        ("42, not 41", "42"),
        ("共42个", "42"),
        ("第42", "42"),
        ("42nd", "42"),
        ("0", 0),
        ("-0", 0),
        ("zero", 0),
        ("42", 42.0),
        ("0.1", 0.1),
        ("1e-7", 1e-7),
    ],
)
def test_forms_of_a_number(answer: str, gold: object) -> None:
    assert tagged(answer, gold), judge(answer, {"type": "numeric", "answer": gold})


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("", "7"),
        ("0,7", "7"),
        ("0,7", "0.7"),
        ("12,34", "1234"),
        ("12,34", "12.34"),
        ("1,2345", "12345"),
        ("3 7", "37"),
        ("836", "36"),
        ("36.5", "36"),
        ("1.36", "36"),
        ("36.0.0", "36"),
        ("x36", "36"),
        ("36x", "36"),
        ("H36O", "36"),
        ("8", "-8"),
        ("-8", "8"),
        ("NaN", "3"),
        ("inf", "3"),
        ("Infinity", "3"),
        ("7" * 5000, "7"),
        ("1e999999", "7"),
        ("9^9^9^9", "9"),
        ("7\\sqrt{3}", "7"),
        ("\\sqrt{7}", "7"),
        ("2\\pi", "2"),
        ("7x", "7"),
        ("7 + x", "7"),
        ("x^7", "7"),
        ("x_7", "7"),
        ("7 or 8", "7"),
        ("7, 8, 9", "7"),
        ("7/8", "7"),
        ("7-8", "7"),
        ("7 to 8", "7"),
        ("between 7 and 8", "7"),
        ("7 ± 1", "7"),
        ("at least 7", "7"),
        ("> 7 of them", "7"),
        ("x > 7", "7"),
        ("less than 7", "7"),
        ("7+", "7"),
        ("7 or more", "7"),
        ("not 7", "7"),
        ("7, no, 8", "7"),
        ("7:30", "7"),
        ("7/8/2020", "7"),
        ("1 2 3 4 5 6 7", "7"),
        ("x = 7, y = 8", "8"),
        ("x = 7 or x = 8", "8"),
        ("7 thousand", "7"),
        ("7k", "7"),
        ("seventy", "7"),
        ("seven hundred", "7"),
        ("0.07e2 or so, maybe 8", "7"),
        ("18+24", "42"),
        ("1=1, 2=2, 7=7", "7"),
    ],
)
def test_what_is_another_number_or_none(answer: str, gold: object) -> None:
    assert not tagged(answer, gold)


@pytest.mark.parametrize(
    ("completion", "gold"),
    [
        ("Adding both columns, it comes to [67]!", "67"),
        ("[6]", 6),
        ("There are 42 cups.", "42"),
        ("I see 3 red and 4 blue cups, so 7 in total.", "7"),
        ("15 on the left, 27 on the right. Altogether there are 42.", "42"),
        ("The total is 42 (15 + 27).", "42"),
        ("图中左边有3个，右边有4个，一共有7个。", "7"),
        ("图中共有四个三角形。", "4"),
        ("1. Count the left row.\n2. Count the right row.\nThere are 42 cups.", "42"),
        ("15+27=42", "42"),
        ("3 rows of 4 make 12.", "12"),
        ("Answer: 42\n\nThe 3 rows have 14 each.", "42"),
        ("The answer is 42. There were 3 rows.", "42"),
        ("**Answer:** 42", "42"),
        ("The final answer is $\\boxed{42}$.", "42"),
        ("\\text{Sum} = \\$268 + \\$50\n\\text{ANSWER: } \\$318", "318"),
        ("So the answer is\n42", "42"),
        ("Result: 42", "42"),
        ("答案是42个。", "42"),
        ("答案：四十二", "42"),
        ("ANSWER: 41. Wait, I missed one. ANSWER: 42", "42"),
        ("Answer: 41. Actually, it is 42.", "42"),
        ("\\boxed{41} should be \\boxed{42}", "42"),
        ("#### 42", "42"),
        ("There is one cup.", 1),
    ],
)
def test_finding_the_number_in_prose(completion: str, gold: object) -> None:
    assert right(completion, gold), judge(completion, {"type": "numeric", "answer": gold})


@pytest.mark.parametrize(
    ("completion", "gold"),
    [
        ("1 2 3 4 5 6 7 8 9 10", "7"),
        ("It could be 7, or 8, or 9.", "7"),
        ("Answer: 7. Or maybe 8.", "7"),
        ("Answer: 7 or 8", "7"),
        ("There are 3 cups and 4 plates.", "4"),
        ("I cannot determine whether it is 7.", "7"),
        ("The answer is unclear. 7?", "7"),
        ("Answer: 7\nHold on.\nAnswer: 8", "7"),
        ("<think>7</think> I cannot say.", "7"),
        ("<think>The answer is 7", "7"),
        ("The change is 8.", "-8"),
        ("The image has 7 in its title and 8 in its footer.", "7"),
    ],
)
def test_prose_that_states_no_such_number(completion: str, gold: object) -> None:
    assert not right(completion, gold)


@pytest.mark.parametrize(
    ("answer", "gold", "keys", "ok"),
    [
        ("190.2", "200", {"rel_tol": 0.05}, True),
        ("189.9", "200", {"rel_tol": 0.05}, False),
        ("210", "200", {"rel_tol": 0.05}, True),
        ("210.1", "200", {"rel_tol": 0.05}, False),
        ("-190.2", "-200", {"rel_tol": 0.05}, True),
        ("0.3", "0", {"rel_tol": 0.05}, False),
        ("0", "0", {"rel_tol": 0.05}, True),
        ("1e-300", "0", {"rel_tol": 0.05}, False),
        ("2013", "2016", {"rel_tol": 0.05, "numeric_kind": "year"}, False),
        ("2016", "2016", {"rel_tol": 0.05, "numeric_kind": "year"}, True),
        ("in March 2016", "2016", {"numeric_kind": "year"}, True),
        ("15 March 2016", "2016", {"numeric_kind": "year"}, True),
        ("2016年3月", "2016", {"numeric_kind": "year"}, True),
        ("9", "10", {"rel_tol": 0.5, "numeric_kind": "count"}, False),
        ("007", "7", {"numeric_kind": "code"}, False),
        ("007", "007", {"numeric_kind": "code"}, True),
        ("0.30000000000000004", "0.3", {}, True),
        ("0.3001", "0.3", {}, False),
        ("1/3", 1 / 3, {}, True),
    ],
)
def test_tolerance(answer: str, gold: object, keys: dict[str, object], *, ok: bool) -> None:
    assert tagged(answer, gold, **keys) is ok


@pytest.mark.parametrize(
    ("answer", "gold", "keys", "ok"),
    [
        ("36 percent", "36%", {}, True),
        ("36 per cent", "36%", {}, True),
        ("36％", "36%", {}, True),
        ("36\\%", "36%", {}, True),
        ("百分之三十六", "36%", {}, True),
        ("百分之36", "36%", {}, True),
        ("36", "36%", {}, False),
        ("0.36", "36%", {}, False),
        ("36%", "36", {}, False),
        ("50", "0.5", {}, False),
        ("50%", "0.5", {}, False),
        ("0.36", "36%", {"percent_mode": "value"}, True),
        ("36%", "0.36", {"percent_mode": "value"}, True),
        ("36%", "36%", {"percent_mode": "value"}, True),
        ("36", "36%", {"percent_mode": "value"}, False),
        ("0.36%", "36%", {"percent_mode": "value"}, False),
        ("36", "36%", {"unit_in_prompt": "%"}, True),
        ("36%", "36", {"unit_in_prompt": "percent"}, True),
        ("0.36", "36", {"unit_in_prompt": "percent"}, False),
        ("20% (of 100 people asked)", "20%", {}, True),
        ("20% of 100 people", "20%", {}, True),
        ("10-20%", "20%", {}, False),
    ],
)
def test_percent(answer: str, gold: str, keys: dict[str, object], *, ok: bool) -> None:
    assert tagged(answer, gold, **keys) is ok


@pytest.mark.parametrize(
    ("answer", "gold", "keys", "ok"),
    [
        ("2500 g", "2.5 kg", {}, True),
        ("2500g", "2.5kg", {}, True),
        ("2.5 kilograms", "2.5 kg", {}, True),
        ("2.5 千克", "2.5 kg", {}, True),
        ("2.5\\,\\text{kg}", "2.5 kg", {}, True),
        ("2.5\\mathrm{~kg}", "2.5 kg", {}, True),
        ("2.5 lb", "2.5 kg", {}, False),
        ("2.5 g", "2.5 kg", {}, False),
        ("2.5 m", "2.5 kg", {}, False),
        ("2.5", "2.5 kg", {}, False),
        ("2.5", "2.5 kg", {"unit_in_prompt": "kg"}, True),
        ("2500", "2.5 kg", {"unit_in_prompt": "g"}, True),
        ("2500 g", "2.5", {"unit_in_prompt": "kg"}, True),
        ("2.5 g", "2.5", {"unit_in_prompt": "kg"}, False),
        ("14", "14 years", {"unit_in_prompt": "years"}, True),
        ("14 yrs", "14 years", {}, True),
        ("14 months", "14 years", {}, False),
        ("24 months", "2 years", {}, True),
        ("1 h 30 min", "90 minutes", {}, True),
        ("1 hour and 30 minutes", "1.5 h", {}, True),
        ("1小时30分钟", "90 min", {}, True),
        ("5 ft 11 in", "71 inches", {}, True),
        ("90 min", "1.5 h", {}, True),
        ("36 km/h", "10 m/s", {}, True),
        ("10 m/s", "36 km per hour", {}, True),
        ("10 m", "10 m/s", {}, False),
        ("25 °C", "25°C", {}, True),
        ("77 °F", "25 °C", {}, True),
        ("25 °F", "25 °C", {}, False),
        ("25°", "25 °C", {}, True),
        ("3 m²", "3 m^2", {}, True),
        ("3 square meters", "3 m^2", {}, True),
        ("3 m", "3 m^2", {}, False),
        ("30000 cm^2", "3 m²", {}, True),
        ("3平方米", "3 m²", {}, True),
        ("180°", "180 degrees", {}, True),
        ("$5", "$5", {}, True),
        ("5 dollars", "$5", {}, True),
        ("USD 5", "$5", {}, True),
        ("€5", "$5", {}, False),
        ("5 yuan", "5元", {}, True),
        ("¥5", "5元", {}, True),
        ("3.8 million dollars", "$3,800,000", {}, True),
        ("$3.8M", "$3,800,000", {}, True),
        ("5", "5 apples", {}, True),
        ("5 apples", "5 apples", {}, True),
        ("5 apples", 5, {}, True),
        ("14 kg", 14, {}, True),
        ("3 in the box", 3, {}, True),
        ("5 furlongs", "5 furlongs", {}, True),
        ("1 mile", "8 furlongs", {}, True),
        ("-3 °C", "-3 °C", {}, True),
        ("零下3摄氏度", "-3 °C", {}, True),
        ("5 m long", "5 m", {}, True),
    ],
)
def test_units(answer: str, gold: object, keys: dict[str, object], *, ok: bool) -> None:
    assert tagged(answer, gold, **keys) is ok


@pytest.mark.parametrize(
    ("answer", "gold", "locale", "ok"),
    [
        ("1.234,56", "1234.56", "de", True),
        ("1234,56", "1234.56", "de", True),
        ("0,7", "0.7", "de", True),
        ("1.234", "1234", "de", True),
        ("1.234", 1.234, "de", False),
        ("1 234,5", "1234.5", "fr", True),
        ("1\u202f234,5", "1234.5", "fr", True),
        ("1'234.5", "1234.5", "de-CH", True),
        ("12,34,567", "1234567", "en-IN", True),
        ("1,234", "1234", "en-IN", True),
        ("12,34,567", "1234567", "en", False),
        ("1,234.5", "1234.5", "en-US", True),
        ("1,234.5", "1234.5", "zh", True),
        ("1.234.567", "1234567", "en", False),
    ],
)
def test_locales(answer: str, gold: object, locale: str, *, ok: bool) -> None:
    assert tagged(answer, gold, locale=locale) is ok


def test_any_of_several_golds() -> None:
    assert tagged("7", ["7", "8"])
    assert tagged("8", ["7", "8"])
    assert not tagged("9", ["7", "8"])
    assert not tagged("7 or 8", ["7", "8"])


@pytest.mark.parametrize(
    "gold",
    [
        {"answer": ""},
        {"answer": None},
        {},
        {"answer": []},
        {"answer": "NaN"},
        {"answer": float("nan")},
        {"answer": float("inf")},
        {"answer": "inf"},
        {"answer": True},
        {"answer": "seven or eight"},
        {"answer": "3, 4"},
        {"answer": "12,34"},
        {"answer": "2\\pi"},
        {"answer": "abc"},
        {"answer": {"n": 1}},
        {"answer": "7" * 5000},
        {"answer": "7", "rel_tol": -0.1},
        {"answer": "7", "rel_tol": "nan"},
        {"answer": "7", "rel_tol": "much"},
        {"answer": "7", "numeric_kind": "colour"},
        {"answer": "7", "percent_mode": "x100"},
        {"answer": "7", "locale": "xx"},
    ],
)
def test_bad_gold_is_unscorable(gold: dict[str, object]) -> None:
    assert reason({"type": "numeric", **gold}, "7").startswith("unscorable: ")
    assert reason({"type": "numeric", **gold}, "").startswith("unscorable: ")


def test_reason_says_what_is_wrong() -> None:
    assert "unit is gram" in judge("<answer>2.5 g</answer>", {"type": "numeric", "answer": "2.5 m"}).reason
    assert "unit is missing" in judge("<answer>2.5</answer>", {"type": "numeric", "answer": "2.5 m"}).reason
    assert "percent" in judge("<answer>36</answer>", {"type": "numeric", "answer": "36%"}).reason


def test_evidence_points_to_the_number() -> None:
    completion = "<think>40?</think>The total is \\$318 dollars."
    score = judge(completion, {"type": "numeric", "answer": 318})
    start, end = score.evidence["span"]
    assert completion[start:end] == "318"
    assert score.evidence["gold"] == "318"
    assert score.metrics["strict"] == 0.0


def test_strict_needs_the_number_alone() -> None:
    gold = {"type": "numeric", "answer": "42"}
    assert judge("<answer>42</answer>", gold, answer_from="tag").metrics["strict"] == 1.0
    assert judge("<answer>about 42</answer>", gold, answer_from="tag").metrics["strict"] == 0.0
    assert judge("<answer>$\\boxed{42}$.</answer>", gold, answer_from="tag").metrics["strict"] == 1.0
