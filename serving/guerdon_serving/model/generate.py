"""Generation: one batch of rows, each with its own adapter, seed, temperature and limit.

Greedy rows choose as the trainer's rollouts do: the arg-max over all tokens but the forbidden ones.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import torch
from transformers import LogitsProcessor, LogitsProcessorList, StoppingCriteria, StoppingCriteriaList

from guerdon_serving.model.prompting import Encoded

if TYPE_CHECKING:
    from guerdon_serving.model.policy import Policy

BASE_ROW: Final = "__base__"
"""PEFT's name for no adapter."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A generated token."""

    id: int
    logprob: float
    """Over the whole vocabulary, at temperature 1."""
    top: list[tuple[int, float]]
    """The likeliest (id, log-probability), as many as asked for."""


@dataclass(slots=True)
class Row:
    """One completion to generate."""

    encoded: Encoded
    adapter: str | None
    """Name in the policy; None is the base."""
    max_tokens: int
    temperature: float = 0.0
    """0 is greedy."""
    top_p: float = 1.0
    seed: int = 0
    top_logprobs: int = 0
    on_token: Callable[[Chosen], None] = lambda _: None
    """Called in the generating thread for each token, the end token included."""
    on_end: Callable[[Exception | None], None] = lambda _: None
    """Called once: after the last token, on cancelling, or with what went wrong."""
    cancelled: bool = False
    """Set by another thread, it ends the row before its next token."""
    messages: Sequence[Mapping[str, Any]] = ()
    """The conversation as OpenAI's clients send it, for an engine that encodes by itself."""
    logprobs: bool = True
    """Whether anybody asks for log-probabilities; an engine may leave them NaN otherwise."""
    read_along: bool = True
    """Whether somebody reads token by token; else an engine may hand them on in bunches."""
    prompt_tokens: int = 0
    """Length of the prompt, where an engine encodes by itself and says so."""
    tokens: list[Chosen] = field(default_factory=list)
    done: bool = False

    def end(self, error: Exception | None = None) -> None:
        """Say that nothing more comes."""
        if not self.done:
            self.done = True
            self.on_end(error)


class _Choice(LogitsProcessor):  # type: ignore[misc] # transformers is untyped
    """Chooses each row's next token and hands it on; the scores that it returns leave only that one.

    Sampling is the Gumbel-max trick: the arg-max of logits / temperature - log(exponential noise) is a
    draw from the softmax. A row's stream depends on its own seed alone, not on the rest of the batch.
    """

    def __init__(self, rows: Sequence[Row], ends: Sequence[int], forbidden: Sequence[int]) -> None:
        self.rows, self.ends, self.forbidden = rows, frozenset(ends), list(forbidden)
        self.streams = [torch.Generator().manual_seed(row.seed) for row in rows]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        del input_ids
        logits = scores.float().cpu()
        logprobs = torch.log_softmax(logits, -1)
        choice = torch.tensor([0 if row.done else self._choose(i, logits[i]) for i, row in enumerate(self.rows)])
        for index, row in enumerate(self.rows):
            self._hand_on(row, int(choice[index]), logprobs[index])
        return torch.full_like(scores, -torch.inf).scatter(-1, choice[:, None].to(scores.device), 0.0)

    def _choose(self, index: int, logits: torch.Tensor) -> int:
        row = self.rows[index]
        allowed = logits.double()
        allowed[self.forbidden] = -torch.inf
        if row.temperature:
            allowed = _nucleus(allowed / row.temperature, row.top_p)
            allowed -= torch.empty(len(allowed), dtype=torch.float64).exponential_(generator=self.streams[index]).log()
        return int(allowed.argmax())

    def _hand_on(self, row: Row, token: int, logprobs: torch.Tensor) -> None:
        if row.done:
            return
        best = torch.topk(logprobs, row.top_logprobs) if row.top_logprobs else None
        top = list(zip(best.indices.tolist(), best.values.tolist(), strict=True)) if best else []
        row.tokens.append(chosen := Chosen(token, float(logprobs[token]), top))
        row.on_token(chosen)
        if token in self.ends or len(row.tokens) >= row.max_tokens:
            row.end()


class _RowsDone(StoppingCriteria):  # type: ignore[misc] # transformers is untyped
    """Ends rows that are complete or cancelled."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        del scores
        for row in self.rows:
            if row.cancelled:
                row.end()
        return torch.tensor([row.done for row in self.rows], device=input_ids.device)


@torch.no_grad()
def generate(policy: "Policy", rows: Sequence[Row]) -> None:
    """Complete all rows in one batch; each row's `tokens` grow as they are chosen."""
    model, settings = policy.model, policy.tokens
    with policy.using([row.adapter for row in rows]) as routing:
        model.generate(
            **batch_inputs([row.encoded for row in rows], settings.pad_id, policy.image_token_id, policy.device),
            **routing,
            max_new_tokens=max(row.max_tokens for row in rows),
            do_sample=False,
            logits_processor=LogitsProcessorList([_Choice(rows, settings.end_ids, settings.forbidden_ids)]),
            stopping_criteria=StoppingCriteriaList([_RowsDone(rows)]),
            pad_token_id=settings.pad_id,
            eos_token_id=list(settings.end_ids),
            temperature=None,
            top_p=None,
            top_k=None,
            repetition_penalty=1.0,
        )


def batch_inputs(
    rows: Sequence[Encoded], pad_id: int, image_token_id: int, device: Any = "cpu"
) -> dict[str, torch.Tensor]:
    """Pad on the left; the images of all rows one after the other.

    Returns:
        ``input_ids`` and ``attention_mask`` [rows, tokens]; with images ``pixel_values``,
        ``image_grid_thw`` and ``mm_token_type_ids`` [rows, tokens].
    """
    width = max(len(row.token_ids) for row in rows)
    ids = torch.tensor([[pad_id] * (width - len(row.token_ids)) + row.token_ids for row in rows])
    mask = torch.tensor([[0] * (width - len(row.token_ids)) + [1] * len(row.token_ids) for row in rows])
    batch = {"input_ids": ids, "attention_mask": mask}
    pixels = [row.pixel_values for row in rows if row.pixel_values is not None]
    if pixels:
        batch["pixel_values"] = torch.cat(pixels)
        batch["image_grid_thw"] = torch.cat([row.image_grid_thw for row in rows if row.image_grid_thw is not None])
        batch["mm_token_type_ids"] = (ids == image_token_id).long()
    return {name: tensor.to(device) for name, tensor in batch.items()}


def _nucleus(logits: torch.Tensor, top_p: float) -> torch.Tensor:
    """Leave the smallest set of tokens whose probability reaches `top_p` (Holtzman et al., arXiv 1904.09751)."""
    if top_p >= 1:
        return logits
    ordered, order = torch.sort(logits, descending=True)
    probabilities = torch.softmax(ordered, -1)
    beyond = probabilities.cumsum(-1) - probabilities >= top_p
    return logits.scatter(0, order[beyond], -torch.inf)
