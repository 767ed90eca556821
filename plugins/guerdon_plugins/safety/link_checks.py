"""Where does a link lead, and what does it carry?"""

import base64
import binascii
import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import SplitResult, parse_qsl, urlsplit

from guerdon_plugins.safety.hit import Hit
from guerdon_plugins.safety.published import published

_EDGE = ".,;:!?)\"'`>]}*_"
_ACCOUNT_WORD = re.compile(
    r"log-?in|sign-?in|verif|secure|account|update|support|billing|auth|confirm|wallet|password|unlock|recover|bonus|gift|claim"
)
_RISKY_ENDINGS = (
    "tk",
    "ml",
    "ga",
    "cf",
    "gq",
    "zip",
    "mov",
    "top",
    "click",
    "loan",
    "kim",
    "work",
    "country",
    "xyz",
    "icu",
    "rest",
)
_PROGRAM = re.compile(r"\.(?:exe|scr|bat|cmd|ps1|vbs|hta|msi|pif|lnk|apk|jar|wsf|com)$", re.IGNORECASE)
_PLAIN_VALUE = re.compile(r"[\d.,x:%-]{0,12}|[a-z-]{1,10}")
_SECRET_PARAMETERS = re.compile(
    r"(?:^|[_-])(?:access_?token|token|session(?:_?id)?|sid|cookies?|passw(?:or)?d|pwd|secret|api_?key|auth|credentials?|history|conversation|prompt|chat"
    r"|ssn|env|leak|exfil|dump|stolen|payload|user_?data|private_?key|jwt|bearer|creds?)(?:$|[_-])",
    re.IGNORECASE,
)
_DIGITS_AS_LETTERS = str.maketrans("0135", "oles")
_SCRIPT_STUB = re.compile(r"(?:javascript|vbscript)\s*:\s*(?:void\s*\(?\s*0\s*\)?|;|//|#)?\s*;?[)\]]?$", re.IGNORECASE)


def split(url: str) -> SplitResult | None:
    """Take a URL apart; None if it is none."""
    try:
        parts = urlsplit(url.strip().rstrip(_EDGE))
    except ValueError:
        return None
    return parts if parts.hostname else None


def registered(host: str) -> str:
    """Return the domain that somebody registered: two labels, or three under a second-level ending."""
    labels = host.strip(".").split(".")
    second_level = (
        len(labels) >= 3 and len(labels[-1]) == 2 and labels[-2] in ("co", "com", "org", "net", "gov", "ac", "edu")
    )
    return ".".join(labels[-3:] if second_level else labels[-2:])


def _is_among(host: str, known: frozenset[str]) -> bool:
    return host in known or any(host.endswith("." + name) for name in known)


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        return True
    address = _address(host)
    return address is not None and (
        address.is_loopback or address.is_unspecified or str(address).startswith(("10.", "192.168.", "172.16."))
    )


def _address(host: str) -> IPv4Address | IPv6Address | None:
    if not (host[-1:].isdigit() or ":" in host or host.startswith("0x")):
        return None
    try:
        return ip_address(int(host, 0)) if re.fullmatch(r"0x[0-9a-f]+|\d{8,10}", host) else ip_address(host)
    except ValueError:
        return None


def suspicious_url(hit: Hit) -> bool:
    """A link that hides its host, imitates a brand or fetches a program; any link under ``deny``."""
    parts = split(hit.value)
    if parts is None or parts.scheme.startswith("hxxp"):
        return False
    host = (parts.hostname or "").lower()
    if hit.url_policy == "deny":
        return True
    if _is_local(host):
        return False
    return (
        _address(host) is not None
        or ("@" in parts.netloc and parts.password is None)
        or host.startswith("xn--")
        or ".xn--" in host
        or _is_mixed(hit.original, host)
        or host.removeprefix("www.") in published().shorteners
        or _imitates(host, parts.path)
        or (
            _PROGRAM.search(parts.path) is not None
            and not _is_among(host, published().download_hosts | published().installer_hosts)
        )
    )


def _is_mixed(original: str, host: str) -> bool:
    """Say whether the original wrote an ASCII host with look-alikes."""
    return host.isascii() and not original.split("//", 1)[-1].split("/", 1)[0].isascii()


def _imitates(host: str, path: str) -> bool:
    words = set(re.split(r"[.-]", host))
    alike = {word.translate(_DIGITS_AS_LETTERS) for word in words if not word.isalpha()}
    if alike & published().brands.keys():
        return True
    own = registered(host)
    asks = _ACCOUNT_WORD.search(host) or _ACCOUNT_WORD.search(path.lower())
    spoofed = any(own not in domains for brand, domains in published().brands.items() if brand in words)
    return bool(asks and (spoofed or host.rsplit(".", 1)[-1] in _RISKY_ENDINGS)) or (
        spoofed and any(f"{b}.com." in host for b in published().brands)
    )


def script_link(hit: Hit) -> bool:
    """A link that runs something, not the usual stub."""
    if hit.value.lower().startswith("data:image"):
        body = hit.value.partition(",")[2]
        return "script" in body.lower() or "onload" in body.lower() or "script" in _text_in(body).lower()
    return _SCRIPT_STUB.fullmatch(hit.value) is None


def mismatched_link(hit: Hit) -> bool:
    """The host that is shown is another than that of the target."""
    shown = split(hit.shown if "://" in hit.shown else f"https://{hit.shown}")
    target = split(hit.value)
    if shown is None or target is None:
        return False
    return registered((shown.hostname or "").lower()) != registered((target.hostname or "").lower())


def foreign_url(hit: Hit) -> bool:
    """The link leads outside this machine."""
    parts = split(hit.value)
    return parts is not None and not _is_local((parts.hostname or "").lower())


def url_with_data(hit: Hit) -> bool:
    """Loading this address sends data: a filled parameter, or text encoded in its host or path."""
    parts = split(hit.value if "://" in hit.value else f"https:{hit.value}")
    if parts is None:
        return False
    host = (parts.hostname or "").lower()
    if hit.url_policy == "deny":
        return True
    if _is_local(host) or _is_among(host, published().static_hosts):
        return False
    filled = any(
        not _is_plain(name, value) for name, value in parse_qsl(parts.query.replace(";", "&"), max_num_fields=None)
    )
    bare = bool(parts.query) and "=" not in parts.query and len(parts.query) >= 12
    return (
        filled
        or bare
        or any(_text_in(piece) for piece in [*parts.netloc.split(".")[:-2], *re.split(r"[/.]", parts.path)])
    )


def _is_plain(name: str, value: str) -> bool:
    if _SECRET_PARAMETERS.search(name):
        return not value
    if name == "q":
        return value.isdigit()
    if name.lower() in published().plain_parameters:
        return _PLAIN_VALUE.fullmatch(value) is not None
    return len(value) < 6


def url_with_secret(hit: Hit) -> bool:
    """The link has a parameter for a secret, or encoded text as a value."""
    parts = split(hit.value)
    host = (parts.hostname or "").lower() if parts else ""
    if parts is None or _is_local(host) or _is_among(host, published().static_hosts):
        return False
    for name, value in parse_qsl(parts.query):
        if (
            _SECRET_PARAMETERS.search(name)
            and len(value) >= 6
            and not value.lower().startswith(("your", "xxx", "example", "<"))
        ):
            return True
        if " " in _text_in(value) or ":" in _text_in(value):
            return True
    return False


def _text_in(piece: str) -> str:
    """Return the text that a piece of an address encodes in base64 or hexadecimal, or nothing."""
    if len(piece) < 12 or not re.fullmatch(r"[A-Za-z0-9+/_=-]+", piece):
        return ""
    try:
        if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", piece):
            return _readable(bytes.fromhex(piece))
        body = piece.rstrip("=").replace("-", "+").replace("_", "/")
        return _readable(base64.b64decode(body + "=" * (-len(body) % 4), validate=True))
    except (binascii.Error, ValueError):
        return ""


def _readable(raw: bytes) -> str:
    return raw.decode("ascii") if raw.isascii() and raw.decode("ascii").isprintable() else ""
