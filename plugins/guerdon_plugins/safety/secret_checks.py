"""Is it a credential, or a placeholder, a published example, an ordinary word?"""

import re

from guerdon_plugins.safety.hit import Hit
from guerdon_plugins.safety.published import published

_PLACEHOLDER = re.compile(
    r"example|sample|your|xxx|placeholder|dummy|fake|redacted|insert|replace|change.?(?:me|it)|todo|\.\.\.|…|\*\*\*|<|>|\$\{|\{\{|%\w+%"
    r"|123456789|987654321|abcdefg|qwerty|deadbeef|loremipsum|foobar|my.?(?:secret|password|token|key)|here$|^password\d{0,3}$|^hunter2$|^(?:none|null|undefined|true|false|empty)$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"^(?:os|process|env|self|config|settings|secrets|vault|import|sys|request|params|args|props|ctx|system|app|this|window|str|string|int|bool"
    r"|getenv|input|getpass|lambda|function|new|await|async|def|return|required|optional|type|len|field|models?|forms?)\b[.(\[]?|^[$@%&]|::|^/|://|^\w+\($",
    re.IGNORECASE,
)
_TRIVIAL = frozenset(
    {
        "1234",
        "12345",
        "123456",
        "1234567",
        "12345678",
        "0000",
        "1111",
        "000000",
        "111111",
        "4321",
        "654321",
        "123",
        "321",
        "000",
    }
)
_WORDS = frozenset(
    {
        "pass",
        "password",
        "passwd",
        "pwd",
        "secret",
        "token",
        "user",
        "username",
        "postgres",
        "root",
        "admin",
        "guest",
        "test",
    }
)
_ABOUT = re.compile(
    r"length|size|policy|strength|field|require|hint|manager|expir|reset|hash|rule|character|bits?\b|byte|count|limit|budget|usage|page|pad|eos|bos|cursor|next",
    re.IGNORECASE,
)
_PASSWORD_WORD = re.compile(r"pass|pwd|login|密码|口令", re.IGNORECASE)
_EDGE = ".,;:!?)]}\"'`…"


def is_placeholder(value: str) -> bool:
    """Say whether the value stands for one, or is published."""
    known = published().keys
    return (
        _PLACEHOLDER.search(value) is not None
        or len(set(value)) <= 3
        or value in known
        or any(value.endswith(key) or key in value for key in known if len(key) <= len(value))
    )


def _classes(value: str) -> tuple[int, int, int, int]:
    """Count lower-case letters, capitals, digits and other signs."""
    lower, upper, digits = (sum(map(test, value)) for test in (str.islower, str.isupper, str.isdigit))
    return lower, upper, digits, len(value) - lower - upper - digits


def is_random(value: str) -> bool:
    """Say whether the value mixes letters and digits as generated keys do."""
    lower, upper, digits, _ = _classes(value)
    return (lower > 0 and upper > 0 and digits > 0) or (digits >= 4 and lower + upper >= 4)


def key_body(hit: Hit) -> bool:
    """What follows the header must be a key: base64 of several kinds of signs."""
    return sum(map(bool, _classes(hit.value)[:3])) >= 2 and not is_placeholder(hit.value)


def vendor_value(hit: Hit) -> bool:
    """A vendor's shape must be filled with a key; short prefixes need a random rest."""
    value = hit.value.rstrip(_EDGE)
    if is_placeholder(value):
        return False
    generic = value.startswith(("sk-", "secret_", "key-", "rnd_", "fal_"))
    return is_random(value.split("-", 1)[-1]) if generic else len(set(value)) >= 8


def secret_value(hit: Hit) -> bool:
    """A token must look generated."""
    value = hit.value.rstrip(_EDGE)
    return len(value) >= 16 and is_random(value) and not is_placeholder(value)


def assigned_value(hit: Hit) -> bool:
    """The value of a password must mix letters and digits; that of a key must look generated."""
    value = hit.value.rstrip(_EDGE)
    name = hit.matched[: hit.value_start - hit.start]
    if is_placeholder(value) or _CODE.search(value) or _ABOUT.search(hit.before(12) + name) or value.lower() in _WORDS:
        return False
    lower, upper, digits, other = _classes(value)
    if _PASSWORD_WORD.search(name):
        letters = lower + upper
        if not letters:
            return digits >= 4 and not other and value not in _TRIVIAL
        return (digits > 0 and len(value) >= 6) or (other > 0 and upper > 0 and len(value) >= 8)
    return secret_value(hit)


def strong_value(hit: Hit) -> bool:
    """A password that follows its word at once must be no ordinary word."""
    value = hit.value.rstrip(_EDGE)
    secret = re.split(r"\s?[/:]\s?", value)[-1] if "/" in value or ":" in value else value
    lower, upper, digits, other = _classes(secret)
    if is_placeholder(secret) or _CODE.search(secret) or len(secret) < 6 or not digits or not lower + upper:
        return False
    return (lower > 0 and upper > 0) or other > secret.count("-") + secret.count(".") or is_random(secret)


def pin_value(hit: Hit) -> bool:
    """A code must be no example."""
    return hit.value not in _TRIVIAL and len(set(hit.value)) > 1


def url_password(hit: Hit) -> bool:
    """The password in a URL must be no word for one."""
    spelt = re.fullmatch(r"[A-Za-z_-]*(?:key|secret|pass|pwd|token)[A-Za-z_-]*", hit.value) is not None
    return (
        not (spelt or is_placeholder(hit.value))
        and hit.value.lower() not in _WORDS
        and not hit.value.startswith(("$", "{", "%", "["))
    )
