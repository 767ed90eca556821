"""Does a text use a phrase, or only mention it?"""

import re

from guerdon_plugins.safety.hit import Hit

_EXPLAINS = re.compile(
    r"injection|jail.?break|\battack|adversar|malicious|untrusted|exploit|red.?team|social engineering|phishing"
    r"|manipulat|vulnerab|hack(?:ing|ed) (?:the )?(?:grader|reward)|注入|越狱|攻击|恶意|不可信|操纵",
    re.IGNORECASE,
)
_PAIRS = ("「」", "『』", "《》")
_SINGLE_OPEN = re.compile(r"(?:^|[\s(])'[^']{0,80}$")
_SINGLE_CLOSE = re.compile(r"[^']{0,120}'(?:[\s).,;:!?]|$)")


def is_explained(hit: Hit) -> bool:
    """Say whether the match stands in quotes, in a text that explains attacks.

    A phrase without quotes is used, whatever stands around it; so is one in a text that names no attack.
    """
    before, after = hit.before(200), hit.after(200)
    if not (_EXPLAINS.search(before) or _EXPLAINS.search(after)):
        return False
    return _is_quoted(before.rpartition("\n")[2], after.partition("\n")[0])


def _is_quoted(before: str, after: str) -> bool:
    """Say whether a quotation that opens in `before` closes in `after`, both on one line."""
    if any(before.count(quote) % 2 and quote in after for quote in '"`'):
        return True
    if any(before.rfind(pair[0]) > before.rfind(pair[1]) and pair[1] in after for pair in _PAIRS):
        return True
    return _SINGLE_OPEN.search(before) is not None and _SINGLE_CLOSE.match(after) is not None
