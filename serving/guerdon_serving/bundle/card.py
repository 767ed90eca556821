"""The model card: what the hub shows, from the bundle's facts alone."""

from typing import Final

from guerdon_serving.bundle.schema import BaseFacts, EvalFacts, RewardFacts, RunFacts

NAME: Final = "README.md"


def write_card(base: BaseFacts, run: RunFacts, rewards: dict[str, RewardFacts], evaluation: EvalFacts) -> str:
    """Return the card in Markdown, its header as the Hugging Face hub reads it."""
    lines = [
        "---",
        *([f"base_model: {base.repo}", "base_model_relation: adapter"] if "/" in base.repo else []),
        "library_name: peft",
        "pipeline_tag: image-text-to-text",
        "tags: [lora, grpo, guerdon]",
        "---",
        f"# {run.name}",
        "",
        f"A LoRA adapter for `{base.repo}` at revision `{base.revision}`, trained with GRPO up to step {run.step}.",
        "`bundle.json` holds the whole provenance; `guerdon bundle verify` checks it, `guerdon serve` serves it.",
        "",
        "## Rewards",
        "| component | plugin | version | role | weight |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {name} | {reward.plugin} | {reward.origin} {reward.version} | {reward.role} | {reward.weight} |"
            for name, reward in rewards.items()
        ),
        "",
        f"The run is for `{run.outcome}`.",
        *_table(evaluation),
    ]
    return "\n".join(lines) + "\n"


def _table(evaluation: EvalFacts) -> list[str]:
    components = sorted(evaluation.base.keys() | evaluation.grpo.keys())
    if not components:
        return []
    return [
        "",
        "## Held-out means, greedy",
        "| component | base | adapter |",
        "| --- | --- | --- |",
        *(
            f"| {name} | {_cell(evaluation.base.get(name))} | {_cell(evaluation.grpo.get(name))} |"
            for name in components
        ),
    ]


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
