"""Finding numbers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.parsing.numbers import NumberLocale, number_locale, quantities
from guerdon_plugins.parsing.numbers.scan import MANY


def read(text: str) -> list[Fraction | None]:
    return [quantity.value for quantity in quantities(text)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("none", []),
        ("7", [7]),
        ("7 and 8", [7, 8]),
        ("seven, eight", [7, 8]),
        ("三个和四个", [3, 4]),
        ("一些统一的", []),
        ("十分", []),
        ("twenty-one", [21]),
        ("nineteen hundred", [1900]),
        ("two hundred and five thousand", [205_000]),
        ("one million two hundred thousand", [1_200_000]),
        ("half", [Fraction(1, 2)]),
        ("two thirds", [Fraction(2, 3)]),
        ("three point one four", [Fraction(157, 50)]),
        ("a dozen", [12]),
        ("someone", []),
        ("weight", []),
        ("零点五", [Fraction(1, 2)]),
        ("一万二千三百", [12_300]),
        ("二〇一六", [2016]),
        ("三百五", [350]),
        ("三百零五", [305]),
        ("一半", [Fraction(1, 2)]),
        ("两个半", [2]),
        ("1.2.3", [None]),
        ("COVID-19", []),
        ("H2O", []),
        ("x_2", []),
        ("3rd", [3]),
        ("2^10", [1024]),
        ("0^{-1}", [None]),
        ("1/0", [None]),
        ("99^9999", [None]),
        ("1e400", [Fraction(10) ** 400]),
        ("1e99999", [None]),
    ],
)
def test_values(text: str, numbers: list[Fraction | int | None]) -> None:
    assert read(text) == numbers


@given(st.integers(-(10**15), 10**15))
def test_whole_numbers_in_every_form(number: int) -> None:
    assert read(str(number)) == [number]
    assert read(f"{number:,}") == [number]
    assert read(f"is {number}.") == [number]


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=6))
def test_decimals_are_exact(number: object) -> None:
    assert read(f"{number:f}") == [Fraction(str(number))]


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_fractions_are_exact(above: int, below: int) -> None:
    assert read(f"{above}/{below}") == [Fraction(above, below)]
    assert read(f"\\frac{{{above}}}{{{below}}}") == [Fraction(above, below)]


@given(st.text(max_size=80))
def test_any_text_gives_numbers_in_order(text: str) -> None:
    found = quantities(text)
    assert [quantity.start for quantity in found] == sorted(quantity.start for quantity in found)
    assert all(0 <= quantity.start < quantity.end <= len(text) for quantity in found)


def test_percent_and_words_are_marked() -> None:
    percent, words = quantities("5% of seven")
    assert percent.percent
    assert not percent.written
    assert words.written


def test_no_more_than_many() -> None:
    assert len(quantities("1 " * 1000)) == MANY


@pytest.mark.parametrize("name", ["xx", "", "english"])
def test_unknown_locales(name: str) -> None:
    assert number_locale(name) is None


def test_locales() -> None:
    assert number_locale("de") == NumberLocale(",", ".")
    assert number_locale("en_GB") == number_locale("en")
    german = number_locale("de")
    assert german is not None
    assert [quantity.value for quantity in quantities("1.234,5 und 6", german)] == [Fraction(2469, 2), 6]
