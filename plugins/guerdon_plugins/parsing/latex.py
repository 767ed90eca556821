r"""Make LaTeX around short answers plain, without moving a character.

Every replacement is as long as what it replaces, filled up with `FILL`, so positions stay true.
"""

import re

from guerdon_plugins.parsing.listed import listed

FILL = "\u2060"
"""WORD JOINER: stands where a command's characters stood, and means nothing."""

_WRAPPERS = listed(
    """text textbf textit textrm texttt textsf textnormal mathbf mathrm mathit mathsf mathtt mathbb mathcal mathnormal
    operatorname mbox hbox bm boldsymbol boxed fbox underline"""
)
_WRAPPER = rf"\\(?:{'|'.join(_WRAPPERS)})\s{{0,3}}\{{"
_ENVIRONMENT = r"\\(?:begin|end)\{(?:align|equation|gather|math|displaymath)\*?\}"
_TOKEN = re.compile(rf"{_WRAPPER}|{_ENVIRONMENT}|\{{,\}}|\\[A-Za-z]+|\\.|[{{}}~]", re.DOTALL)
_STRUCK = re.compile(r"~~(?=\S)[^~\n]{1,400}~~")
_SIGNS = {
    r"\$": "$",
    r"\%": "%",
    r"\#": "#",
    r"\&": "&",
    r"\_": "_",
    r"\,": "\u2009",
    r"\;": " ",
    r"\:": " ",
    "~": " ",
    r"\!": "",
    r"\ ": " ",
    r"\(": " ",
    r"\)": " ",
    r"\[": " ",
    r"\]": " ",
    "{,}": ",",
    r"\times": "×",
    r"\cdot": "·",
    r"\div": "÷",
    r"\approx": "≈",
    r"\sim": "~",
    r"\neq": "≠",
    r"\ne": "≠",
    r"\leq": "≤",
    r"\le": "≤",
    r"\geq": "≥",
    r"\ge": "≥",
    r"\lt": "<",
    r"\gt": ">",
    r"\pm": "±",
    r"\degree": "°",
    r"\circ": "°",
    r"\left": "",
    r"\right": "",
    r"\quad": " ",
    r"\qquad": " ",
    r"\displaystyle": "",
    r"\dfrac": r"\frac",
    r"\tfrac": r"\frac",
    r"\cfrac": r"\frac",
    r"\euro": "€",
    r"\pounds": "£",
    r"\to": "→",
    r"\rightarrow": "→",
    r"\therefore": " ",
    r"\mu": "µ",
    r"\Omega": "Ω",
}


def flatten(text: str) -> str:
    r"""Return `text` with ``\text{48}`` as 48, ``\$`` as $, ``\times`` as ×, and the like.

    What Markdown strikes out is gone. The result has the same length. Commands that mean something
    (``\frac``, ``\sqrt``, ``\pi``) stay. Linear in the text's length.
    """
    if "~~" in text:
        text = _STRUCK.sub(lambda found: FILL * len(found[0]), text)
    if "\\" not in text and "{" not in text:
        return text
    parts: list[str] = []
    wrappers: list[bool] = []
    position = 0
    for token in _TOKEN.finditer(text):
        found = token[0]
        parts += (text[position : token.start()], _plain(found, wrappers))
        position = token.end()
    parts.append(text[position:])
    return _degrees("".join(parts))


def _plain(found: str, wrappers: list[bool]) -> str:
    """Return what replaces a command or brace; `wrappers` tells for each open brace whether it only wraps."""
    if found == "{":
        wrappers.append(False)
    elif found == "}":
        return FILL if wrappers and wrappers.pop() else found
    elif found in _SIGNS:
        return _SIGNS[found].ljust(len(found), FILL)
    elif found.endswith("{") and found != r"\{":
        wrappers.append(True)
        return " ".ljust(len(found), FILL)
    elif found.startswith((r"\begin", r"\end")):
        return FILL * len(found)
    return found


def _degrees(text: str) -> str:
    """Take the superscript away from a degree sign: ``^°`` and ``^{°}``."""
    if "°" not in text:
        return text
    return re.sub(rf"\^({FILL}*)\{{?({FILL}*)°({FILL}*)\}}?", lambda found: "°".ljust(len(found[0]), FILL), text)


def unfill(text: str) -> str:
    """Return `text` without fill characters."""
    return text.replace(FILL, "")
