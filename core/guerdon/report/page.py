"""The page of a run: one HTML file that needs no network and no server."""

import base64
import gzip
import hashlib
import html
import json
import os
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from guerdon.report.against import read_against
from guerdon.report.alarms import read_alarms
from guerdon.report.payload import payload
from guerdon.report.pictures import album
from guerdon.report.rows import read_rows
from guerdon.report.selection import select_groups
from guerdon.review import open_run

SCRIPTS = (
    "dom.js",
    "data.js",
    "chart.js",
    "overview.js",
    "curves.js",
    "alarms.js",
    "profile.js",
    "against.js",
    "filters.js",
    "detail.js",
    "table.js",
    "scatter.js",
    "main.js",
)
LIVE_SCRIPTS = (*SCRIPTS[:-1], "live.js", SCRIPTS[-1])
"""Of the page that a server gives (`guerdon.view`)."""

STYLES = ("page.css", "charts.css", "samples.css")


def write_report(run_folder: Path, output: Path | None = None, against: Sequence[str] = ()) -> Path:
    """Write the page of a run and return where it is.

    Args:
        run_folder: the run's folder, or its ``ledger``.
        output: the file to write; ``report.html`` in the run's folder if none is given.
        against: other evaluations to compare with, each ``NAME=RUN`` (`read_against`).

    Raises:
        LedgerError: there is no ledger, or an empty or damaged one.
        ConfigError: `against` names no evaluation.
        DataError: the evaluations have no prompt in common.
    """
    run = open_run(run_folder)
    compared = read_against(run, against)
    audit, examples = read_alarms(run)
    rows = read_rows(run.ledger, select_groups(run.ledger, wanted=examples))
    pictures = album(run.ledger.folder / "images", rows.pictures)
    data = payload(run, rows, audit, compared)
    data["left_out"] |= {"pictures": pictures.left_out, "pictures_unreadable": pictures.unreadable}
    return write_page(output or run.folder / "report.html", SCRIPTS, run.name, data, pictures.pictures)


def write_page(target: Path, scripts: Sequence[str], title: str, data: Any, pictures: Any) -> Path:
    """Write a page whole or not at all, and return where it is."""
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    temporary.write_text(page(scripts, title, data, pictures), encoding="utf-8")
    temporary.replace(target)
    return target


def page(scripts: Sequence[str], title: str, data: Any, pictures: Any, *, live: bool = False) -> str:
    """Put a page together: nothing in it comes from outside the file, and no data is ever markup.

    Data stands in blocks that browsers do not run, as base64 of gzip: no text in it can end the
    block. The content security policy allows our own script and style by their hashes, pictures
    from ``data:`` URLs, no connection (if `live`, to the page's own server alone), and (trusted
    types) no way from text to markup.
    """
    style = "\n".join(_asset(name) for name in STYLES)
    script = "'use strict';\n(() => {\n" + "\n".join(_asset(name) for name in scripts) + "\n})();"
    connect = "connect-src 'self'; " if live else ""
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        f"{connect}base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    slots = {
        "policy": policy,
        "title": html.escape(title),
        "style": style,
        "data": pack(data),
        "pictures": pack(pictures),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: slots[match[1]], _asset("page.html"))


def pack(data: Any) -> str:
    """Encode as base64 of gzip of JSON; the same data gives the same text."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _asset(name: str) -> str:
    return (files("guerdon.report") / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
