"""Sampling with transformers, each completion from its own seed. No SkyRL, no Ray."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForImageTextToText, AutoTokenizer, LogitsProcessor, LogitsProcessorList

from guerdon_trainer.sampling import Completion, Request, forbidden_ids


class SeededChoice(LogitsProcessor):  # type: ignore[misc]
    """Chooses each row's next token from the row's own random stream, and keeps its log-probability.

    The Gumbel-max trick: the arg-max of logits / temperature - log(exponential noise) is a sample of
    the softmax. What a row draws does not depend on the other rows of the batch.
    """

    def __init__(self, seeds: Sequence[int], temperature: float, forbidden: Sequence[int]) -> None:
        self.temperature = temperature
        self.forbidden = list(forbidden)
        self.streams = [torch.Generator().manual_seed(seed) for seed in seeds]
        self.logprobs: list[torch.Tensor] = []

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Return scores that leave the chosen token alone."""
        del input_ids
        logits = scores.float() / (self.temperature or 1.0)
        choice = self._choose(logits)
        self.logprobs.append(torch.log_softmax(logits, -1).gather(-1, choice[:, None])[:, 0])
        return torch.full_like(scores, -torch.inf).scatter(-1, choice[:, None], 0.0)

    def _choose(self, logits: torch.Tensor) -> torch.Tensor:
        allowed = logits.double()
        allowed[:, self.forbidden] = -torch.inf
        if self.temperature:
            width = logits.shape[-1]
            noise = [torch.empty(width, dtype=torch.float64).exponential_(generator=s) for s in self.streams]
            # Noise that rounds to 0 would make a forbidden token NaN, and arg-max takes NaN for the largest.
            allowed -= torch.stack(noise).clamp_min(torch.finfo(torch.float64).tiny).log()
        return allowed.argmax(-1)


class Generator:
    """A model with its tokenizer, and the policy's adapter once it is loaded."""

    def __init__(self, model_path: str, *, threads: int = 1) -> None:
        torch.set_num_threads(threads)
        self.tokenizer = AutoTokenizer.from_pretrained(model_path)
        self.model = AutoModelForImageTextToText.from_pretrained(model_path, dtype=torch.float32).eval()
        self.forbidden = forbidden_ids(self.tokenizer)
        ends = self.model.generation_config.eos_token_id
        ends = self.tokenizer.eos_token_id if ends is None else ends
        self.ends = set(ends if isinstance(ends, list) else [ends])
        pad = self.tokenizer.pad_token_id
        self.pad = min(self.ends) if pad is None else pad

    def load_adapter(self, path: str) -> int:
        """Load a PEFT adapter in place of the previous one; return the number of its tensors.

        Raises:
            ValueError: keys that the model does not have, or that the file does not have.
        """
        from peft import PeftModel, set_peft_model_state_dict
        from safetensors.torch import load_file

        weights = load_file(Path(path) / "adapter_model.safetensors")
        if not isinstance(self.model, PeftModel):
            self.model = PeftModel.from_pretrained(self.model, path).eval()
        result = set_peft_model_state_dict(self.model, weights)
        missing = [key for key in result.missing_keys if "lora_" in key]
        if result.unexpected_keys or missing:
            raise ValueError(f"adapter {path}: unexpected {result.unexpected_keys[:3]}, missing {missing[:3]}")
        return len(weights)

    @torch.no_grad()
    def complete(self, requests: Sequence[Request], *, temperature: float, max_tokens: int) -> list[list[Completion]]:
        """Return the completions of each request, all in one batch. Temperature 0 is greedy."""
        rows = [(request.rendered, seed) for request in requests for seed in request.seeds]
        choice = SeededChoice([seed for _, seed in rows], temperature, self.forbidden)
        inputs = self._batch([rendered for rendered, _ in rows])
        sequences = self.model.generate(
            **inputs,
            max_new_tokens=max_tokens,
            do_sample=False,
            logits_processor=LogitsProcessorList([choice]),
            pad_token_id=self.pad,
            eos_token_id=sorted(self.ends),
            temperature=None,
            top_p=None,
            top_k=None,
        )
        new = sequences[:, inputs["input_ids"].shape[1] :].tolist()
        logprobs = torch.stack(choice.logprobs, 1).tolist()
        done = iter(self._completion(ids, values) for ids, values in zip(new, logprobs, strict=True))
        return [[next(done) for _ in request.seeds] for request in requests]

    def _completion(self, ids: list[int], logprobs: list[float]) -> Completion:
        length = next((i + 1 for i, token in enumerate(ids) if token in self.ends), len(ids))
        finished = ids[length - 1] in self.ends
        text = self.tokenizer.decode(ids[:length], skip_special_tokens=True)
        return Completion(ids[:length], logprobs[:length], text, finished)

    def _batch(self, rows: Sequence[Any]) -> dict[str, Any]:
        """Pad on the left; images of all rows one after the other."""
        width = max(len(row.token_ids) for row in rows)
        ids = torch.tensor([[self.pad] * (width - len(row.token_ids)) + row.token_ids for row in rows])
        mask = torch.tensor([[0] * (width - len(row.token_ids)) + [1] * len(row.token_ids) for row in rows])
        batch: dict[str, Any] = {"input_ids": ids, "attention_mask": mask}
        pixels = [row.pixel_values for row in rows if row.pixel_values is not None]
        if pixels:
            batch["pixel_values"] = torch.cat(pixels)
            batch["image_grid_thw"] = torch.cat([row.image_grid_thw for row in rows if row.image_grid_thw is not None])
            batch["mm_token_type_ids"] = (ids == self.model.config.image_token_id).long()
        return batch
