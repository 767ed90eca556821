"""What a contrast comes to, in one line."""

from guerdon.comparison.compare import Contrast, Row
from guerdon.report.words import interval, number


def conclusion(contrast: Contrast, outcome: str | None) -> str:
    """Say in one line what changed from one side to the other."""
    lost = [row.component for row in contrast.rows if row.slice is None and row.verdict == "lost"]
    others = sorted({name for name in lost if name != outcome})
    return _outcome(contrast, outcome) + (f"; {' and '.join(others)} fell" if others else "")


def _outcome(contrast: Contrast, outcome: str | None) -> str:
    row = contrast.row(outcome)
    if row is None:
        return "no outcome is declared, or none was measured on both sides, so nobody can say which is better"
    said = f"{row.component} {number(row.means[0])} to {number(row.means[1])}, {interval(row.difference, '95% ')}"
    match row.verdict:
        case "gained":
            return f"{_gain(contrast, row)}: {said}"
        case "lost":
            return f"outcome lost: {said}"
        case "no change":
            return f"{_others(contrast, row) or 'no change that matters'}: {said}"
        case "not powered":
            return f"{_others(contrast, row) or 'not powered'}: {said}; {_power(row)}"
        case "unknown":
            return f"too few prompts for an interval: {said}"


def _gain(contrast: Contrast, row: Row) -> str:
    """Tell a better answer from a better placed one."""
    strict, lenient = contrast.row(row.component, "strict"), contrast.row(row.component, "lenient")
    placed = strict is None or (lenient is not None and strict.difference.value > lenient.difference.value)
    if lenient is not None and lenient.verdict != "gained" and placed:
        return f"gain is format only (read leniently {interval(lenient.difference)})"
    return "outcome gained"


def _others(contrast: Contrast, row: Row) -> str | None:
    """Name what gained without the outcome."""
    strict = contrast.row(row.component, "strict")
    if strict is not None and strict.verdict == "gained":
        return "gain is format only"
    gained = [
        other.component
        for other in contrast.rows
        if other.slice is None and other.component != row.component and other.verdict == "gained"
    ]
    return f"gain is in {' and '.join(gained)} only, not in the outcome" if gained else None


def _power(row: Row) -> str:
    shows = f"a true change of {number(row.difference.detectable)} shows four times in five"
    text = f"on {row.difference.prompts} prompts {shows}"
    needed = row.difference.prompts_for(row.matters) if row.matters else None
    return f"{text}, one of {number(row.matters or 0.0)} would need {needed}" if needed else text
