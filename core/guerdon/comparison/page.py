"""A comparison as one HTML file: no script, nothing from outside."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from guerdon.comparison.cells import (
    HEADS,
    NOTE,
    REGRESSION_HEADS,
    SIGHT_HEADS,
    cells,
    regression_cells,
    shown,
    sight_cells,
)
from guerdon.comparison.compare import Comparison, Contrast
from guerdon.comparison.verdict import conclusion

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
td { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.verdict { font-size: 1.1rem; font-weight: 600; }
.note { opacity: .75; }
"""


def write_page(found: Comparison, path: Path) -> None:
    """Write the page."""
    path.write_text(page(found), encoding="utf-8")


def page(found: Comparison) -> str:
    """Return the page; whatever a model wrote is text in it, never markup."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = escape(" against ".join(found.sides))
    body = [
        f"<h1>{title}</h1>",
        f"<p>{found.prompts} prompts on all sides, {found.sampling} decoding, {found.left_out} left out.</p>",
        *(_contrast(found, contrast) for contrast in found.contrasts),
        *([_table("Without pictures (shuffled or blank)", SIGHT_HEADS, sight_cells(found))] if found.sight else []),
        f'<p class="note">{escape(NOTE)}</p>',
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title><style>{STYLE}</style></head>\n'
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _contrast(found: Comparison, contrast: Contrast) -> str:
    title = f"{contrast.before} against {contrast.after}"
    rows = (cells(row, found.outcome) for row in shown(contrast))
    table = _table(title, HEADS, rows, f'<p class="verdict">{escape(conclusion(contrast, found.outcome))}</p>')
    if not contrast.regressions:
        return table
    return table + _table("Largest regressions", REGRESSION_HEADS, regression_cells(contrast), level=3)


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], lead: str = "", level: int = 2) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in rows)
    heading = f"<h{level}>{escape(title)}</h{level}>{lead}"
    return f"{heading}<table><thead><tr>{head}</tr></thead>\n<tbody>{lines}</tbody></table>\n"
