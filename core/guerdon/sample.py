"""A completion with its context: all that a reward may look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from guerdon.images import LazyImage

type Message = Mapping[str, Any]
"""A chat message: ``{"role": str, "content": str | [{"type": "text" | "image", ...}]}``."""

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Sample:
    """One completion and everything a reward may know about it.

    The group is all samples of one prompt; `index` is the position in it (0-based).
    """

    id: str
    """Unique in the run's step: ``<group_id>/<index>``."""

    completion: str
    """The text that the policy wrote, without the prompt and without special end tokens."""

    prompt: Sequence[Message] = ()
    """The conversation before the completion."""

    reference: Mapping[str, Any] = field(default=_EMPTY)
    """What is known to be true; ``type`` names the answer's kind. Empty if there is none."""

    completion_tokens: Sequence[int] = ()
    """Token ids of the completion by the policy's tokenizer, up to and including the end token."""

    token_count: int | None = None
    """Number of completion tokens, where only the count is known. Prefer `tokens`."""

    truncated: bool = False
    """The completion ran into the length limit before an end token."""

    images: Sequence[LazyImage] = ()
    """The prompt's images in order."""

    metadata: Mapping[str, Any] = field(default=_EMPTY)
    """Free facts about the prompt, such as ``image_width`` or ``modality``."""

    group_id: str = ""
    index: int = 0
    step: int | None = None
    """The training step, counted from 1; None outside training."""

    @property
    def tokens(self) -> int | None:
        """Length of the completion in tokens, or None where nobody counted."""
        return len(self.completion_tokens) if self.completion_tokens else self.token_count

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with plain dicts in place of read-only mappings."""
        values = (getattr(self, name) for name in self.__slots__)
        return Sample, tuple(dict(v) if isinstance(v, MappingProxyType) else v for v in values)


@dataclass(frozen=True, slots=True)
class Group:
    """All samples of one prompt, in order of `Sample.index`."""

    id: str
    samples: Sequence[Sample]
