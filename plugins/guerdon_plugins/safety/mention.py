"""Does a text use a phrase, or only mention it?"""

import re

from guerdon_plugins.safety.hit import Hit

_EXPLAINS = re.compile(
    r"injection|jail.?break|\battack|adversar|malicious|untrusted|exploit|red.?team|social engineering|phishing|manipulat|vulnerab|hack(?:ing|ed) (?:the )?(?:grader|reward)"
    r"|注入|越狱|攻击|恶意|不可信|操纵",
    re.IGNORECASE,
)
_OPEN = "\"'`“‘「『《"
_CLOSE = "\"'`”’」』》"


def is_explained(hit: Hit) -> bool:
    """Say whether the match stands in quotes, in a text that explains attacks.

    A phrase without quotes is used, whatever stands around it; so is one in a text that names no attack.
    """
    before, after = hit.before(200), hit.after(200)
    if not _EXPLAINS.search(before) and not _EXPLAINS.search(after):
        return False
    line_before, line_after = before.rpartition("\n")[2], after.partition("\n")[0]
    return any(
        line_before.count(opening) % 2 == 1 and closing in line_after
        if opening == closing
        else line_before.rfind(opening) > line_before.rfind(closing) and closing in line_after
        for opening, closing in zip(_OPEN, _CLOSE, strict=True)
        if opening != "'"
    ) or re.search(r"(?:^|[\s(])'[^']{0,80}$", line_before) is not None and re.match(r"[^']{0,120}'(?:[\s).,;:!?]|$)", line_after) is not None
