"""Is it somebody's number or address, or a version, an identifier, a published example?"""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address

from guerdon_plugins.safety.hit import Hit
from guerdon_plugins.safety.published import published

_CARD_CONTEXT = re.compile(
    r"\b(?:card|credit|debit|visa|master ?card|amex|american express|discover|diners|maestro|cvv|cvc|expir)"
    r"|\b(?:payment|paid with|pan)|\bvalid (?:until|thru|through)"
    r"|信用卡|银行卡|储蓄卡|卡号|借记卡",
    re.IGNORECASE,
)
_GROUPED = frozenset({(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 4, 4, 2), (4, 4, 4, 4, 1), (6, 13)})
_RESERVED_DOMAIN = re.compile(
    r"(?:^|[.-])(?:example\.(?:com|org|net|edu)|[a-z0-9-]+\.(?:example|test|invalid|localhost|local|internal))$|^example\.\w+$"
)
_FICTIONAL = re.compile(r"55501\d\d$|^(?:44)?0?7700900\d{3}$|^(?:44)?0?2079460\d{3}$|^(?:44)?0?1632960\d{3}$")
_PUBLIC_LINE = re.compile(r"^1?(?:8(?:00|33|44|55|66|77|88)|900)\d{7}$|^(?:400|800)\d{7}$")


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _is_filler(digits: str) -> bool:
    return len(set(digits)) <= 2 or digits in "0123456789012345678901234567890" or digits in "98765432109876543210"


def _stands_alone(hit: Hit, start: int, end: int) -> bool:
    """Say whether no letter, digit, or hyphen to one touches the value (parts of UUIDs and hashes)."""
    before, after = hit.text[max(0, start - 1) : start], hit.text[end : end + 1]
    return not (_is_word(before) or _is_word(after) or before in ("-", "_", "#", "=", "/") or after in ("-", "_", "="))


def _is_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def luhn(digits: str) -> bool:
    """Check a card number (ISO/IEC 7812-1)."""
    doubled = (int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _is_card(digits: str) -> bool:
    prefix = int(digits[:4])
    network = (
        (digits[0] == "4" and len(digits) in (13, 16, 19))
        or ((51 <= prefix // 100 <= 55 or 2221 <= prefix <= 2720) and len(digits) == 16)
        or (prefix // 100 in (34, 37) and len(digits) == 15)
        or (prefix // 100 in (30, 36, 38, 39) and len(digits) in (14, 16))
        or (prefix // 100 in (35, 60, 62, 63, 64, 65, 67) and 16 <= len(digits) <= 19)
    )
    return network and luhn(digits) and not _is_filler(digits) and digits not in published().cards


def card(hit: Hit) -> bool:
    """A card number passes Luhn; it is grouped as on a card, or stands near a word for one."""
    context = _CARD_CONTEXT.search(hit.near()) is not None
    groups = [(m[0], m.start() + hit.value_start, m.end() + hit.value_start) for m in re.finditer(r"\d+", hit.value)]
    if len(groups) > 12 and context:  # digit by digit
        digits = _digits(hit.value)
        return any(_is_card(digits[:length]) for length in range(13, len(digits) + 1))
    return any(_is_card_run(hit, groups[i:j], context=context) for i, j in _runs(groups))


def _runs(groups: list[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
    for i in range(len(groups)):
        length = 0
        for j in range(i, len(groups)):
            length += len(groups[j][0])
            if 13 <= length <= 19:
                yield i, j + 1


def _is_card_run(hit: Hit, run: list[tuple[str, int, int]], *, context: bool) -> bool:
    if not _is_card("".join(digits for digits, _, _ in run)) or not _stands_alone(hit, run[0][1], run[-1][2]):
        return False
    if len(run) == 1 or hit.text[run[0][2]] in "./":
        decimal = hit.text[max(0, run[0][1] - 2) : run[0][1]].rstrip(".").isdigit() and hit.text[run[0][1] - 1] == "."
        return context and not decimal
    return context or tuple(len(digits) for digits, _, _ in run) in _GROUPED


def iban(hit: Hit) -> bool:
    """An account number passes mod 97 (ISO 13616)."""
    value = re.sub(r"[ -]", "", hit.value)
    if value[:2] not in published().iban_countries or not 15 <= len(value) <= 34 or value in published().ibans:
        return False
    rearranged = "".join(str(int(char, 36)) for char in value[4:] + value[:4])
    return int(rearranged) % 97 == 1


def ssn(hit: Hit) -> bool:
    """A US social security number has an area that is issued."""
    digits = _digits(hit.value)
    issued = digits[:3] not in ("000", "666") and digits[0] != "9" and digits[3:5] != "00" and digits[5:] != "0000"
    end = hit.value_start + len(hit.value)
    groups = re.split(r"\D", hit.value)
    if all(len(set(group)) == 1 for group in groups):
        return False
    return (
        issued
        and digits not in published().identity_numbers
        and not _is_filler(digits)
        and _stands_alone(hit, hit.value_start, end)
    )


def china_id(hit: Hit) -> bool:
    """A Chinese identity number has the right check digit (GB 11643)."""
    value = re.sub(r"\s", "", hit.value).upper()
    total = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(value[:17]))
    end = hit.value_start + len(hit.value)
    right = "10X98765432"[total % 11] == value[17]
    return right and value not in published().identity_numbers and _stands_alone(hit, hit.value_start, end)


def phone(hit: Hit) -> bool:
    """A telephone number is no fictional, public or counting one, and no part of an identifier."""
    digits = _digits(hit.value)
    end = hit.value_start + len(hit.value)
    if (
        not 8 <= len(digits) <= 15
        or _is_filler(digits)
        or len(set(digits)) <= 3
        or not _stands_alone(hit, hit.value_start, end)
    ):
        return False
    known = published().phones
    fictional = (
        _FICTIONAL.search(digits) or _PUBLIC_LINE.match(digits) or any(digits.endswith(number) for number in known)
    )
    return not fictional and "1234567" not in digits


def email(hit: Hit) -> bool:
    """An address belongs to a person: no role, no reserved domain, no file name."""
    local, _, domain = hit.value.lower().partition("@")
    return _is_personal(local, domain)


def _is_personal(local: str, domain: str) -> bool:
    known = published()
    reserved = _RESERVED_DOMAIN.search(domain) or domain in known.placeholder_domains
    return not (
        reserved
        or local.split("+", maxsplit=1)[0] in known.role_addresses
        or domain.rsplit(".", 1)[-1] in known.file_endings
    )


def email_disguised(hit: Hit) -> bool:
    """The same for an address that is spelt out."""
    plain = re.sub(r"\s*[(\[{]?\bat\b[)\]}]?\s*", "@", hit.value.lower(), count=1)
    plain = re.sub(r"\s*[(\[{]?\bdot\b[)\]}]?\s*", ".", plain)
    local, _, domain = plain.partition("@")
    return _is_personal(local.strip().split(" ")[-1], domain.strip())


def document_number(hit: Hit) -> bool:
    """A document's number has digits and is no filler."""
    digits = _digits(hit.value)
    return len(digits) >= 5 and not _is_filler(digits) and digits not in published().identity_numbers


def public_ip(hit: Hit) -> bool:
    """An address of the internet, not of a private net or of documentation."""
    after = hit.text[hit.end : hit.end + 2]
    if (after[:1] == "." and after[1:].isdigit()) or hit.before(1) in (".", "-"):
        return False
    try:
        return IPv4Address(hit.value).is_global and hit.value not in published().public_dns
    except AddressValueError:
        return False
