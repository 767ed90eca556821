"""A comparison as rows of plain values: CSV, Parquet, JSON."""

import csv
import json
import math
from pathlib import Path

from guerdon.comparison.compare import Comparison, Contrast, Row
from guerdon.comparison.verdict import conclusion

type Cell = str | float | int | None


def rows(found: Comparison) -> list[dict[str, Cell]]:
    """Return a row for every contrast, component, measure and slice."""
    return [_row(found, row) for contrast in found.contrasts for row in contrast.rows]


def _row(found: Comparison, row: Row) -> dict[str, Cell]:
    estimate = row.difference
    return {
        "before": row.before,
        "after": row.after,
        "sampling": found.sampling,
        "component": row.component,
        "measure": row.measure,
        "slice": row.slice,
        "prompts": estimate.prompts,
        "clusters": estimate.clusters,
        "before_mean": _finite(row.means[0]),
        "after_mean": _finite(row.means[1]),
        "difference": _finite(estimate.value),
        "low": _finite(estimate.low),
        "high": _finite(estimate.high),
        "p": _finite(row.p),
        "p_holm": _finite(row.p_holm),
        "detectable": _finite(estimate.detectable),
        "verdict": row.verdict,
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def write_csv(found: Comparison, path: Path) -> None:
    """Write all rows."""
    data = rows(found)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(data[0]) if data else [])
        writer.writeheader()
        writer.writerows(data)


def write_parquet(found: Comparison, path: Path) -> None:
    """Write all rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(rows(found)), path)


def write_json(found: Comparison, path: Path) -> None:
    """Write everything."""
    path.write_text(json.dumps(facts(found), indent=2) + "\n", encoding="utf-8")


def facts(found: Comparison) -> dict[str, object]:
    """Return a comparison as JSON holds it."""
    return {
        "sides": list(found.sides),
        "sampling": found.sampling,
        "outcome": found.outcome,
        "prompts": found.prompts,
        "left_out": found.left_out,
        "contrasts": [_contrast(found, contrast) for contrast in found.contrasts],
        "without_pictures": [
            {
                "side": one.side,
                "sighted": one.sighted,
                "blind": one.blind,
                "difference": _finite(one.difference.value),
                "low": _finite(one.difference.low),
                "high": _finite(one.difference.high),
                "prompts": one.difference.prompts,
            }
            for one in found.sight
        ],
    }


def _contrast(found: Comparison, contrast: Contrast) -> dict[str, object]:
    return {
        "before": contrast.before,
        "after": contrast.after,
        "verdict": conclusion(contrast, found.outcome),
        "rows": [_row(found, row) for row in contrast.rows],
        "regressions": [
            {"prompt": one.prompt, "before": one.before, "after": one.after, "answers": list(one.answers)}
            for one in contrast.regressions
        ],
    }
