import time

import pytest

from guerdon_plugins.parsing.linear import MAX_PATTERN, check_pattern, find_all, matches


@pytest.mark.parametrize(
    ("pattern", "text", "search", "fullmatch"),
    [
        ("a+", "baac", True, False),
        ("a+", "aaa", True, True),
        ("^a$", "a\n", False, False),
        ("(?s)<think>.*</think>", "<think>\n</think>", True, True),
        ("<think>.*</think>", "<think>\n</think>", False, False),
        (r"\p{Han}+", "猫", True, True),
        (r"\d+", "１２", False, False),
        ("(?i)KITE", "a kite", True, False),
        (".", "\ud800", True, True),
        ("", "", True, True),
    ],
)
def test_matches(pattern, text, search, fullmatch):
    assert matches(pattern, text, "search") is search
    assert matches(pattern, text, "fullmatch") is fullmatch


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        "[",
        "*",
        "a{2,1}",
        "(?=a)",
        "(?<!a)b",
        r"(a)\1",
        "(?P<x",
        "a" * (MAX_PATTERN + 1),
        "\ud800",
        "(?>a)",
        "a{100000}",
    ],
)
def test_refuses_what_is_malformed_or_needs_backtracking(pattern):
    with pytest.raises(ValueError, match="pattern"):
        check_pattern(pattern)


def test_says_what_to_write_instead():
    with pytest.raises(ValueError, match=r"invalid perl operator.*RE2's syntax holds, without look-around"):
        check_pattern("(?=a)")
    assert check_pattern("a+") == "a+"


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(a|aa)+c", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*a){20}b", "(x+x+)+y"]
)
@pytest.mark.parametrize("text", ["a" * 1_000_000, "x" * 1_000_000, "ab" * 500_000, "猫" * 500_000])
def test_patterns_that_stall_a_backtracking_engine_take_linear_time(pattern, text):
    begin = time.process_time()
    matches(pattern, text, "search")
    assert time.process_time() - begin < 5


def test_finds_places_in_characters_not_bytes():
    assert list(find_all("b+", "猫bb😀b")) == [(1, 3), (4, 5)]
    assert list(find_all("(x)|猫(b)", "猫bx")) == [(1, 2), (2, 3)]
    assert list(find_all("a", "\ud800a")) == [(1, 2)]
