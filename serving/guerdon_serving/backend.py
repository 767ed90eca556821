"""What a server needs of the engine that runs its models."""

from concurrent.futures import Future
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from guerdon_serving.bundle.read import Bundle
    from guerdon_serving.model.generate import Row
    from guerdon_serving.model.prompting import Prompter


class Backend(Protocol):
    """Transformers in this process (`guerdon_serving.engine`), or vLLM beside it (`guerdon_serving.vllm`)."""

    @property
    def alive(self) -> bool:
        """Whether it can answer."""

    @property
    def encodes(self) -> bool:
        """Whether it renders and encodes prompts itself, so that a row needs no tokens."""

    def submit(self, row: "Row") -> None:
        """Queue a row; its callbacks say how it goes on. An adapter's name is its bundle's id."""

    def attach(self, bundle: "Bundle") -> "Future[Prompter]":
        """Verify a bundle's adapter, put it on the base and ask the probes.

        The future raises RefusedError if it is not what it must be; then nothing of it stays.
        """

    def detach(self, adapter: str) -> "Future[None]":
        """Remove an adapter that nobody uses any more."""

    def stop(self) -> None:
        """Complete what was handed in, then end."""
