"""Further readings of a text: decoded, spelt in digits, spaced out, quoted for a shell.

Each is made only where the text has what it undoes. One level is undone, in linear time.
"""

import base64
import binascii
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

from guerdon_plugins.safety.rules import ViewName
from guerdon_plugins.safety.views import View, fold, folded, mirrored, replaced

_ESCAPE = re.compile(
    r"(?:%[0-9A-Fa-f]{2})++|&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,10});"
    r"|(?:\\x[0-9A-Fa-f]{2})++|(?:\\u[0-9A-Fa-f]{4})++|(?:\\[0-3][0-7]{2}){2,}+"
)
_ENCODED = re.compile(
    r"(?<![A-Za-z0-9+/_-])(?:(?:[A-Za-z0-9+/]{16,}+\r?\n)++[A-Za-z0-9+/]++={0,2}|[A-Za-z0-9+/_-]{12,}+={0,2})"
)
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}){6,}")
_ESCAPED_CODE = re.compile(r"\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\([0-3][0-7]{2})")

_LEET_L_SIGN = re.compile(r"[A-Za-z][1!]|1[A-Za-z]")
_LEET_SIGN = re.compile(r"[A-Za-z][013457@$!|]|[013457@$|][A-Za-z]")
_LEET_WORD = re.compile(
    r"(?<![A-Za-z0-9@$!|])(?=[A-Za-z0-9@$!|]*[A-Za-z])(?=[A-Za-z]*[013457@$!|])[A-Za-z013457@$!|]++"
)
_LEET = str.maketrans("013457@$!|", "oieastasil")
_LEET_L = str.maketrans("013457@$!|", "oleastasll")

_SPACED = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9@$!](?:[\s._*~/|-]{1,3}[A-Za-z0-9@$!](?![A-Za-z0-9])){5,}+")
_SEPARATORS = re.compile(r"[\s._*~/|-]+")
_BROKEN_WORD = re.compile(r"(?<=[A-Za-z])(?:-\n|<[/a-zA-Z!][^<>\n]{0,60}>(?:<[/a-zA-Z!][^<>\n]{0,60}>)?)(?=[a-z])")
_UNDERSCORED = re.compile(r"[A-Za-z]_[A-Za-z]")
RIGHT_TO_LEFT = "\u202e"

_SHELL_SIGN = re.compile(r"""["'\\][A-Za-z/~-]|\$\{?IFS|\$@|\\\n""")
_SHELL_QUOTE = re.compile(r"""["']++|\\(?=[A-Za-z/~-])|\\\n|\$\{?IFS\}?(?:\$\d)?|\$@""")


def readings(text: str) -> Iterator[tuple[ViewName, View]]:
    """Return the readings of a text, each with its name.

    What is decoded is read as it stands and as a shell would; other disguises are not undone within it.
    """
    plain = folded(text)
    for view in filter(None, (plain, joined(plain))):
        yield "plain", view
        yield from (("leet", leet) for leet in unleeted(view))
    if RIGHT_TO_LEFT in text:
        yield "plain", mirrored(plain)
    if close := squeezed(plain):
        yield "squeezed", close
    if shell := unquoted(plain):
        yield "shell", shell
    if inner := decoded(plain):
        yield "plain", inner
        if shell := unquoted(inner):
            yield "shell", shell


def decoded(view: View) -> View | None:
    """Undo percent, HTML and backslash escapes, base64 and hexadecimal text; None if there is none."""
    plain = replaced(view, _ESCAPE, _unescape) if _has(view.text, "%&\\") else None
    return replaced(plain or view, _ENCODED, _decode) or plain


def unleeted(view: View) -> Iterator[View]:
    """Read digits and signs within words as letters; 1 and ! as i, then as l. No position changes.

    Words that underscores join are read as single words, too.
    """
    if _UNDERSCORED.search(view.text):
        yield View(view.text.replace("_", " "), view.locate)
    if not _LEET_SIGN.search(view.text):
        return
    read = _LEET_WORD.sub(lambda word: _unleet(word[0], _LEET), view.text)
    if read != view.text:
        yield View(read, view.locate)
    if _LEET_L_SIGN.search(view.text):
        yield View(_LEET_WORD.sub(lambda word: _unleet(word[0], _LEET_L), view.text), view.locate)


def squeezed(view: View) -> View | None:
    """Close up letters that are spaced out: ``i g n o r e``."""
    return replaced(view, _SPACED, lambda run: _SEPARATORS.sub("", run).lower().translate(_LEET))


def joined(view: View) -> View | None:
    """Close up words that a hyphen breaks over two lines, or a tag in two."""
    return replaced(view, _BROKEN_WORD, lambda _: "") if "-\n" in view.text or ">" in view.text else None


def unquoted(view: View) -> View | None:
    """Drop what a shell drops: quotes, backslashes before letters, ``${IFS}``."""
    if not _SHELL_SIGN.search(view.text):
        return None
    return replaced(view, _SHELL_QUOTE, lambda sign: " " if "IFS" in sign or "\n" in sign else "")


def _has(text: str, signs: str) -> bool:
    return any(sign in text for sign in signs)


def _unescape(run: str) -> str:
    if run[0] == "%":
        return fold(unquote(run, errors="replace"))
    if run[0] == "&":
        return fold(html.unescape(run))
    return fold(_ESCAPED_CODE.sub(_code, run))


def _code(match: re.Match[str]) -> str:
    if match[3]:
        return chr(int(match[3], 8))
    return chr(int(match[1] or match[2], 16))


def _decode(run: str) -> str:
    if _HEX.fullmatch(run):
        return _printable(bytes.fromhex(run)) or run
    body = "".join(run.split()).rstrip("=").translate(_STANDARD)
    if len(body) % 4 == 1:
        return run
    try:
        return _printable(base64.b64decode(body + "=" * (-len(body) % 4), validate=True)) or run
    except (binascii.Error, ValueError):
        return run


_STANDARD = str.maketrans("-_", "+/")


def _printable(raw: bytes) -> str:
    """Return the text that the bytes are, or nothing if they are none."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return ""
    return fold(text) if all(char.isprintable() or char in "\n\r\t" for char in text) else ""


def _unleet(word: str, table: dict[int, int]) -> str:
    body = word.rstrip("!")
    return body.translate(table) + word[len(body) :]
