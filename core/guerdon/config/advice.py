"""What a configuration may say but the field knows better. Nothing here stops a run."""

from guerdon.config.run import RunConfig

LOW_LORA_RATE = 5e-6
"""Full tuning's usual 1e-6 is below it, LoRA's usual 1e-5 above."""


def advice(config: RunConfig) -> list[str]:
    """Return a sentence for each value that works against the run: field, value, reason, remedy."""
    return [*_learning_rate(config), *_dropout(config)]


def _learning_rate(config: RunConfig) -> list[str]:
    """LoRA's best rate is about ten times that of full tuning (Schulman et al., LoRA Without Regret, 2025)."""
    rate = config.algorithm.learning_rate
    if rate >= LOW_LORA_RATE:
        return []
    low = f"algorithm.learning_rate {rate:g} is a rate for full tuning"
    return [f"{low}; LoRA usually needs about ten times as much: try {10 * rate:g}"]


def _dropout(config: RunConfig) -> list[str]:
    dropout = config.adapter.dropout
    if not dropout:
        return []
    gap = f"adapter.dropout {dropout:g} makes the trainer's log-probabilities differ from the rollout's"
    return [f"{gap}, which has no dropout, so ratio and clipping start off wrong: set 0"]
