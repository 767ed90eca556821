"""Checks of single values, by their standards."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Sample
from guerdon_plugins.safety import Safety
from guerdon_plugins.safety.link_checks import registered, split
from guerdon_plugins.safety.personal_checks import luhn
from guerdon_plugins.safety.secret_checks import is_placeholder, is_random

PII = Safety(categories=("pii",))


def flagged(text):
    return PII.score(Sample("g/0", text)).value < 0


def completed(body):
    return next(body + str(d) for d in range(10) if luhn(body + str(d)))


@given(st.from_regex(r"4[0-9]{14}", fullmatch=True))
def test_a_card_with_context_is_flagged_and_a_wrong_digit_is_not(body):
    number = completed(body)
    wrong = number[:-1] + str((int(number[-1]) + 5) % 10)
    if len(set(number)) > 4 and not number.startswith(("40000", "4242", "4111")):
        assert flagged(f"card number {number}")
    assert not flagged(f"card number {wrong}")


@given(st.integers(10**12, 10**19 - 1))
def test_digits_without_context_are_no_card(number):
    assert not flagged(f"The total is {number} units")


@given(st.decimals(0, 1000, places=17))
def test_long_decimals_are_no_cards(number):
    assert not flagged(f"The value is {number} on the card")


@given(st.uuids())
def test_uuids_are_nothing(value):
    assert not flagged(f"Request id {value} failed, call me maybe")


@given(st.integers(0, 4_000_000_000))
def test_dates_and_times_are_nothing(seconds):
    value = datetime.fromtimestamp(seconds, UTC)
    assert not flagged(f"Logged at {value.isoformat()} by phone")
    assert not flagged(f"file {value:%Y%m%d%H%M%S}.png of the card")


@given(st.ip_addresses(v=4))
def test_an_address_of_the_internet_is_flagged_with_context_only(address):
    assert not flagged(f"version {address}")
    if not address.is_global:
        assert not flagged(f"IP address {address}")


@pytest.mark.parametrize(
    "iban",
    ["GB94 BARC 1020 1530 0934 59", "FR76 3000 4000 0312 3456 7890 143", "NL02ABNA0123456789", "CH5604835012345678009"],
)
def test_an_iban_with_the_right_check_digits(iban):
    assert flagged(f"Pay to {iban} please")
    assert not flagged(f"Pay to {iban[:2]}00{iban[4:]} please")


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://a.b.example.com/x", "example.com"),
        ("http://x.co.uk", "x.co.uk"),
        ("https://a.x.co.uk:8/", "x.co.uk"),
        ("https://com", "com"),
    ],
)
def test_registered_domains(url, domain):
    assert registered(split(url).hostname) == domain


@pytest.mark.parametrize("url", ["https://[::1", "https://", "//", "https://]", "http://[", "\\\\x"])
def test_what_is_no_url_is_none(url):
    assert split(url) is None


@given(st.text())
def test_any_text_can_be_asked_about(text):
    split(text)
    is_placeholder(text)
    is_random(text)


@given(st.text(alphabet="[]:/@.?#&=%ab1-"))
def test_any_link_is_scored(rest):
    assert Safety(categories=("url", "exfiltration")).score(
        Sample("g/0", f"![x](https://{rest}) http://{rest}")
    ).value in (-1.0, 0.0)
