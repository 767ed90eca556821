"""An audit in the terminal, as JSON and as JUnit."""

import json
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from guerdon.audit.reading import AlarmName
from guerdon.audit.run import Audit, Finding, facts

if TYPE_CHECKING:
    from rich.console import Console

TITLES: dict[AlarmName, str] = {
    "proxy_without_outcome": "proxy climbs without the outcome",
    "over_optimisation": "outcome falls from its peak",
    "kl": "KL blows up",
    "length": "reward bought with length",
    "correlation": "reward stops telling right from wrong",
    "failures": "grading fails",
    "blind": "gain without the pictures",
}

STYLES = {"alarm": "bold red", "quiet": "green", "not judged": "yellow"}
VERDICTS = {
    "alarm": "Verdict: alarm.",
    "clean": "Verdict: no alarm.",
    "cannot judge": "Verdict: cannot judge; see the first line.",
}


def print_audit(found: Audit, console: "Console") -> None:
    """Print a line for each alarm, and the verdict."""
    from rich.text import Text

    for one in found.findings:
        console.print(
            Text.assemble(
                (f"{one.state:<10}", STYLES[one.state]), "  ", (TITLES[one.alarm], "bold"), f": {_said(one)}"
            ),
            soft_wrap=True,
        )
    looked = f"{len(found.looks)} looks at {found.steps} training steps of {found.run}. "
    console.print(Text.assemble(looked, (VERDICTS[found.verdict], "bold")), soft_wrap=True)


def _said(one: Finding) -> str:
    parts = [one.reading.text]
    if one.state == "alarm":
        parts.append(f"raised at step {one.raised}, begins about step {one.reading.onset}")
    elif one.first_raised is not None:
        parts.append(f"raised at step {one.first_raised} and withdrawn since")
    if one.examples:
        parts.append(f"look at {', '.join(one.examples)}")
    return "; ".join(parts)


def write_json(found: Audit, path: Path) -> None:
    """Write all alarms with their evidence."""
    path.write_text(json.dumps(facts(found), indent=2) + "\n", encoding="utf-8")


def write_junit(found: Audit, path: Path) -> None:
    """Write a test case for each alarm: failed if it is in force, skipped if it was not judged."""
    suite = ET.Element("testsuite", name=f"guerdon audit {_plain(found.run)}", tests=str(len(found.findings)))
    suite.set("failures", str(len(found.alarms)))
    suite.set("skipped", str(sum(one.state == "not judged" for one in found.findings)))
    for one in found.findings:
        case = ET.SubElement(suite, "testcase", classname="guerdon.audit", name=one.alarm)
        if one.state == "alarm":
            ET.SubElement(case, "failure", message=_plain(_said(one)))
        elif one.state == "not judged":
            ET.SubElement(case, "skipped", message=_plain(one.reading.text))
        else:
            ET.SubElement(case, "system-out").text = _plain(one.reading.text)
    ET.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _plain(text: str) -> str:
    """Leave out what XML cannot hold."""
    return "".join(character for character in text if character.isprintable())
