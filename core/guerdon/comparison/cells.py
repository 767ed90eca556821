"""The cells of the tables that terminal and page show."""

from collections.abc import Sequence

from guerdon.comparison.compare import Comparison, Contrast, Row
from guerdon.report.words import VERDICTS, bracketed, number

HEADS = ("component", "n", "before", "after", "change (95%)", "p", "detects", "verdict")
SIGHT_HEADS = ("side", "prompts", "with pictures", "without", "change (95%)")
REGRESSION_HEADS = ("prompt", "before", "after", "answer before", "answer after")

NOTE = (
    "n: prompts. Differences are paired by prompt and clustered by picture. p: McNemar's exact test or a permutation, "
    "corrected by Holm. Detects: the true change that would show four times in five."
)


def cells(row: Row, outcome: str | None) -> tuple[str, ...]:
    """Return a row's cells, in the order of `HEADS`."""
    name = f"{row.component}*" if row.component == outcome else row.component
    name = name if row.measure == "value" else f"  {row.measure}"
    return (
        name if row.slice is None else f"  {row.slice.removeprefix('modality=')}",
        str(row.difference.prompts),
        number(row.means[0]),
        number(row.means[1]),
        bracketed(row.difference),
        f"{row.p_holm:.3f}" if row.p_holm >= 0.001 else "<.001",
        number(row.difference.detectable),
        VERDICTS[row.verdict],
    )


def shown(contrast: Contrast) -> Sequence[Row]:
    """Put the outcome's slices below it; their readings are left to the files."""
    first = contrast.rows[0].component if contrast.rows else None
    rows = [row for row in contrast.rows if row.slice is None or row.measure == "value"]
    return sorted(rows, key=lambda row: row.component != first)


def sight_cells(found: Comparison) -> list[tuple[str, ...]]:
    """Return the table of what each side loses without pictures, in the order of `SIGHT_HEADS`."""
    return [
        (one.side, str(one.difference.prompts), number(one.sighted), number(one.blind), bracketed(one.difference))
        for one in found.sight
    ]


def regression_cells(contrast: Contrast, limit: int | None = None) -> list[tuple[str, ...]]:
    """Return the prompts that lost most, in the order of `REGRESSION_HEADS`; answers are cut to `limit` characters."""
    return [
        (one.prompt, f"{one.before:.2f}", f"{one.after:.2f}", *(_cut(answer, limit) for answer in one.answers))
        for one in contrast.regressions
    ]


def _cut(text: str, limit: int | None) -> str:
    if limit is None or len(text) <= limit:
        return text
    return f"{' '.join(text.split())[:limit]}…"
