"""The base model in memory, and the adapters on it."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import torch
from peft import PeftModel, get_peft_model_state_dict
from safetensors import SafetensorError
from transformers import AutoModelForImageTextToText

from guerdon_serving.bundle.adapter import read_tensors
from guerdon_serving.bundle.schema import TokenizerFacts
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model.generate import BASE_ROW, batch_inputs
from guerdon_serving.model.prompting import Encoded

type Precision = Literal["float32", "bfloat16"]

DTYPES: Final[dict[str, torch.dtype]] = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class Policy:
    """A base with any number of adapters. Not for use by two threads at a time."""

    def __init__(
        self, base: Path, tokens: TokenizerFacts, *, dtype: Precision = "float32", device: str = "cpu"
    ) -> None:
        """Load the base from safetensors, offline, without code of its own.

        Args:
            base: the model's folder.
            tokens: which tokens end, pad and are forbidden.
            dtype: of weights and arithmetic.
            device: ``cpu`` or ``cuda``.

        Raises:
            RefusedError: transformers cannot load it.
        """
        try:
            loaded = AutoModelForImageTextToText.from_pretrained(
                base, dtype=DTYPES[dtype], local_files_only=True, trust_remote_code=False, use_safetensors=True
            )
        except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
            raise RefusedError(Code.LOAD_FAILED, f"the base in {base} does not load: {error}") from error
        self.model: Any = loaded.to(device).eval()
        self.tokens, self.device = tokens, device
        self.image_token_id = int(getattr(loaded.config, "image_token_id", -1))
        self.adapters: dict[str, bool] = {}
        """Name to: has modules outside the language model, so that a batch cannot mix it with others."""

    def attach(self, name: str, folder: Path, *, mixable: bool = True) -> None:
        """Load an adapter beside those there are, and compare what the model now holds with the file.

        Args:
            name: its name from now on; not one that is loaded, and without dots.
            folder: in PEFT's format.
            mixable: all its modules see one row of the batch as one row (not so in the vision tower).

        Raises:
            RefusedError: PEFT cannot load it, or holds other tensors than the file.
        """
        expected = read_tensors(folder)
        try:
            if isinstance(self.model, PeftModel):
                self.model.load_adapter(folder, adapter_name=name, is_trainable=False)
            else:
                self.model = PeftModel.from_pretrained(self.model, folder, adapter_name=name, is_trainable=False)
        except (OSError, ValueError, RuntimeError, KeyError, TypeError) as error:
            raise RefusedError(Code.LOAD_FAILED, f"PEFT does not load the adapter in {folder}: {error}") from error
        self.model.eval()
        self.adapters[name] = mixable
        self._compare(name, expected, folder)

    def detach(self, name: str) -> None:
        """Remove an adapter and its memory."""
        del self.adapters[name]
        if self.adapters:
            self.model.set_adapter(next(iter(self.adapters)))  # PEFT warns when the active one goes
            self.model.delete_adapter(name)
        else:
            self.model = self.model.unload()  # a PEFT model without any adapter takes no further one
            del self.model.peft_config

    @contextlib.contextmanager
    def using(self, adapters: Sequence[str | None]) -> Iterator[dict[str, Any]]:
        """Route each row of a batch through its adapter; yields what forward and generate need for it.

        A batch of one adapter takes the shorter way, and the only right one for adapters in the tower.
        """
        names = set(adapters)
        if not isinstance(self.model, PeftModel):
            yield {}
        elif names == {None}:
            with self.model.disable_adapter():
                yield {}
        elif len(names) == 1:
            self.model.set_adapter(adapters[0])
            yield {}
        else:
            yield {"adapter_names": [name or BASE_ROW for name in adapters]}

    def mixable(self, name: str | None) -> bool:
        """Say whether rows of this adapter may share a batch with others."""
        return name is None or self.adapters[name]

    @torch.no_grad()
    def next_logits(self, encoded: Encoded, adapter: str | None) -> torch.Tensor:
        """Return the logits [vocabulary] of the token after the prompt, fp32 on the CPU."""
        inputs = batch_inputs([encoded], self.tokens.pad_id, self.image_token_id, self.device)
        with self.using([adapter]) as routing:
            logits: torch.Tensor = self.model(**inputs, **routing).logits
        return logits[0, -1].float().cpu()

    def _compare(self, name: str, expected: dict[str, torch.Tensor], folder: Path) -> None:
        held = get_peft_model_state_dict(self.model, adapter_name=name, save_embedding_layers=False)
        wrong = sorted(
            key
            for key in held.keys() | expected.keys()
            if key not in held
            or key not in expected
            or not torch.equal(held[key].cpu(), expected[key].to(held[key].dtype))
        )
        if wrong:
            self.detach(name)
            raise RefusedError(
                Code.LOAD_TENSORS, f"{len(wrong)} tensors in memory are not those of {folder}, as {wrong[0]}"
            )
