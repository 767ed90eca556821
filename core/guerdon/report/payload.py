"""A run as the JSON that the page is drawn from."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from guerdon.report.alarms import alarm_lines
from guerdon.report.histograms import read_histograms
from guerdon.report.plain import plain
from guerdon.report.profile import CLASSES, read_profile
from guerdon.report.rows import Rows
from guerdon.report.words import judgement, number, overview
from guerdon.review import Estimate, Run, Summary, summarise
from guerdon.review.curves import Curve, component_curve, metric_lines, sample_lines
from guerdon.review.groups import GroupTable, read_groups
from guerdon.review.held_out import Comparison
from guerdon.review.prompts import read_prompts
from guerdon.review.summary import ComponentSummary

HEALTH = (
    "kl",
    "entropy",
    "loss",
    "gradient_norm",
    "clip_fraction",
    "learning_rate",
    "logprob_gap",
    "rollout/length_mean",
    "rollout/truncated",
    "rollout/tokens_per_second",
    "time/step",
)
"""Numbers of the table of steps that the page draws."""


def payload(run: Run, rows: Rows, audit: Mapping[str, Any], against: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return everything but pictures, with NaN and infinities as null."""
    return overall(run, audit, against) | {"rows": rows.columns, "left_out": plain(rows.left_out)}


def overall(run: Run, audit: Mapping[str, Any], against: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what the page says of all records: everything but samples and pictures."""
    groups = read_groups(run.ledger, read_prompts(run.ledger))
    summary = summarise(run, groups)
    return {
        "run": _facts(run, summary),
        "overview": plain(sorted([*overview(summary), *alarm_lines(audit)], key=lambda line: not line.warning)),
        "components": [_component(one) for one in summary.components],
        "held_out": [_comparison(row) for row in summary.held_out],
        "curves": _curves(run, summary, groups),
        "histograms": plain(read_histograms(run.ledger, summary.components)),
        "profile": {"classes": list(CLASSES), "sides": plain(read_profile(run.ledger, groups, summary))},
        "audit": dict(audit),
        "against": against and dict(against),
    }


def _facts(run: Run, summary: Summary) -> dict[str, Any]:
    config = run.facts.get("config", {})
    model = config.get("model", {})
    return {
        "name": summary.run,
        "mode": summary.mode,
        "outcome": summary.outcome,
        "training": [str(window) for window in summary.training or ()],
        "evaluations": list(summary.evaluations),
        "modalities": summary.modalities,
        "model": _model(model),
        "seed": config.get("run", {}).get("seed"),
        "provenance": {
            key: run.facts[key] for key in ("config_hash", "versions", "python", "machine", "git") if key in run.facts
        },
    }


def _model(model: Mapping[str, Any]) -> str:
    """Name the base; of a local folder its own name, since a page is handed on and its reader has other folders."""
    name = str(model.get("name_or_path") or "")
    shown = PurePath(name).name if PurePath(name).is_absolute() else name
    return " @ ".join(part for part in (shown, model.get("revision")) if part)


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": plain(estimate.value),
        "low": plain(estimate.low),
        "high": plain(estimate.high),
        "prompts": estimate.prompts,
    }


def _component(one: ComponentSummary) -> dict[str, Any]:
    return {
        "name": one.name,
        "plugin": one.plugin,
        "role": one.role,
        "weights": plain(one.weights),
        "low": plain(one.low),
        "high": plain(one.high),
        "first": _estimate(one.first),
        "last": _estimate(one.last),
        "change": _estimate(one.change),
        "statuses": one.statuses,
        "of_reward": plain(one.share.of_reward) if one.share else None,
        "of_update": plain(one.share.of_update) if one.share else None,
        "rise": plain(one.rise),
    }


def _comparison(row: Comparison) -> dict[str, Any]:
    return {
        "component": row.component,
        "measure": row.measure,
        "sampling": row.sampling,
        "modality": row.modality,
        "before": _estimate(row.before),
        "after": _estimate(row.after),
        "difference": _estimate(row.difference),
        "detectable": number(row.difference.detectable),
        "matters": plain(row.matters),
        "verdict": row.verdict,
        "judgement": judgement(row),
    }


def _curves(run: Run, summary: Summary, groups: GroupTable) -> dict[str, Any]:
    metrics = metric_lines(run.ledger)
    visual = groups.prompts.visual
    outcome = next((one for one in summary.components if one.name == summary.outcome), None)
    return {
        "components": {
            one.name: _curve(component_curve(groups, one.name, (one.low, one.high))) for one in summary.components
        },
        "visual": _curve(component_curve(groups, outcome.name, (outcome.low, outcome.high), modalities=visual))
        if outcome and visual and len(set(groups.prompts.modality)) > 1
        else None,
        "held_out": {
            sampling: {
                one.name: _curve(
                    component_curve(groups, one.name, (one.low, one.high), phase="eval", sampling=sampling)
                )
                for one in summary.components
            }
            for sampling in ("greedy", "sampled")
        },
        "samples": plain(sample_lines(run.ledger)),
        "constant": plain(list(summary.constant)),
        "health": {name: plain(metrics[name]) for name in HEALTH if name in metrics},
    }


def _curve(curve: Curve) -> dict[str, Any]:
    return {
        "steps": list(curve.steps),
        "value": [plain(one.value) for one in curve.means],
        "low": [plain(one.low) if one.standard_error else None for one in curve.means],
        "high": [plain(one.high) if one.standard_error else None for one in curve.means],
        "spread": plain(curve.spread),
        "statuses": plain(curve.statuses),
    }
