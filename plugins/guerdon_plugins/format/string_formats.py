"""The formats of strings that ``check_formats`` enforces, each in linear time.

jsonschema's own checkers pass silently where a package is missing, take any text with an @ for an
e-mail address, and use backtracking patterns.
"""

import re
from collections.abc import Callable
from datetime import date
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import urlsplit

MAX_LENGTH = 4000
"""A longer string has no format."""

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.\d{1,12})?(?:[zZ]|[+-](\d\d):(\d\d))", re.ASCII)
_DURATION = re.compile(
    r"P(?=[\dT])(?:\d{1,9}W|(?:\d{1,9}Y)?(?:\d{1,9}M)?(?:\d{1,9}D)?(?:T(?=\d)(?:\d{1,9}H)?(?:\d{1,9}M)?(?:\d{1,9}S)?)?)",
    re.ASCII,
)
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_URI = re.compile(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*")


def _is_date(text: str) -> bool:
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    try:
        date(*map(int, match.groups()))
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    hour, minute, second, offset_hour, offset_minute = (int(part or 0) for part in match.groups())
    return hour < 24 and minute < 60 and second < 61 and offset_hour < 24 and offset_minute < 60


def _is_date_time(text: str) -> bool:
    return len(text) > 11 and text[10] in "Tt" and _is_date(text[:10]) and _is_time(text[11:])


def _is_hostname(text: str) -> bool:
    return len(text) <= 253 and all(_LABEL.fullmatch(label) for label in text.split("."))


def _is_email(text: str) -> bool:
    local, at, domain = text.rpartition("@")
    return bool(at) and len(local) <= 64 and _LOCAL.fullmatch(local) is not None and _is_hostname(domain)


def _is_address(kind: type[IPv4Address] | type[IPv6Address], text: str) -> bool:
    try:
        kind(text)
    except AddressValueError:
        return False
    return text.isascii() and "%" not in text


def _is_uri_reference(text: str) -> bool:
    if _URI.fullmatch(text) is None:
        return False
    try:
        _ = urlsplit(text).port
    except ValueError:
        return False
    return True


def _is_uri(text: str) -> bool:
    scheme, colon, rest = text.partition(":")
    return bool(colon and rest) and _SCHEME.fullmatch(scheme) is not None and _is_uri_reference(text)


FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _is_date,
    "time": _is_time,
    "date-time": _is_date_time,
    "duration": lambda text: _DURATION.fullmatch(text) is not None,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": lambda text: _is_address(IPv4Address, text),
    "ipv6": lambda text: _is_address(IPv6Address, text),
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
    "uri": _is_uri,
    "uri-reference": _is_uri_reference,
    "json-pointer": lambda text: _POINTER.fullmatch(text) is not None,
}
"""By name, whether a string has the format (RFC 3339, 5321, 1123, 4291, 9562, 3986, 6901)."""


def has_format(name: str, text: str) -> bool:
    """Say whether the string has the named format."""
    return len(text) <= MAX_LENGTH and FORMATS[name](text)
