"""Samples as bytes: what isolation costs is mostly this.

Columns of plain values travel by `marshal`, which is faster than pickle on them; what the samples
of a group share travels once; token ids as 32-bit integers; pictures as references.
"""

import marshal
import pickle
import struct
from array import array
from collections.abc import Sequence
from operator import attrgetter
from types import MappingProxyType, NoneType
from typing import Any, NamedTuple

from guerdon.images import LazyImage
from guerdon.sample import Sample
from guerdon.scoring.making import maker

_OWN = attrgetter("id", "completion", "completion_tokens", "token_count", "truncated", "index")
_SHARED = attrgetter("prompt", "reference", "images", "metadata", "group_id", "step")


type Columns = tuple[Sequence[Any], ...] | bytes
"""A column for each field in `_OWN`; pickled where a value is not quite plain, so that all can be marshalled."""


_PLAIN: tuple[set[type], ...] = ({str}, {str}, {bytes, array}, {int, NoneType}, {bool}, {int})
"""Types of the columns that may be marshalled. It would write the bytes of a numpy scalar without a word."""


def pack_samples(samples: Sequence[Sample]) -> tuple[Columns, bytes]:
    """Return the samples' own fields, and those of `_SHARED` pickled: once if they share them, else for each.

    Takes at least one sample. Raises what pickling an object in one raises.
    """
    own = list(zip(*map(_OWN, samples), strict=True))
    own[2] = tuple([_pack_tokens(tokens) for tokens in own[2]])
    sources = samples[:1] if _share(samples) else samples
    plain = all(types.issuperset(map(type, column)) for types, column in zip(_PLAIN, own, strict=True))
    columns: Columns = tuple(own) if plain else pickle.dumps(own)
    return columns, pickle.dumps([_pack_context(*_SHARED(sample)) for sample in sources])


def dump(job: int, components: tuple[int, ...], samples: Sequence[Sample]) -> bytes:
    """Write a job as a message. Raises what pickling an object in a sample raises."""
    columns, contexts = pack_samples(samples)
    message: Any = (job, components, len(samples), columns, contexts)
    return marshal.dumps(message, 2)


class Work(NamedTuple):
    """A job as a worker reads it: some samples of a group and the components to score them by."""

    job: int
    components: tuple[int, ...]
    size: int
    """Number of samples."""
    columns: Columns
    contexts: bytes


def load(frame: bytes | bytearray | memoryview) -> Work:
    """Read what `dump` wrote."""
    return Work(*marshal.loads(frame))  # noqa: S302  # from our own process


def _share(samples: Sequence[Sample]) -> bool:
    """Tell whether all samples hold the very same objects in the fields of `_SHARED`."""
    prompt, reference, images, metadata, group_id, step = _SHARED(samples[0])
    for sample in samples:
        if not (
            sample.prompt is prompt
            and sample.reference is reference
            and sample.images is images
            and sample.metadata is metadata
            and sample.group_id == group_id
            and sample.step == step
        ):
            return False
    return True


def _pack_context(prompt: Any, reference: Any, images: Any, metadata: Any, *rest: Any) -> tuple[Any, ...]:
    """Read-only mappings do not pickle; exact `LazyImage` objects are strings."""
    if images and all(type(image) is LazyImage for image in images):
        images = [image.source for image in images]
    return prompt, _plain(reference), images, _plain(metadata), *rest


def _plain(mapping: Any) -> Any:
    return dict(mapping) if isinstance(mapping, MappingProxyType) else mapping


def _pack_tokens(tokens: Sequence[int]) -> bytes | Sequence[int]:
    if type(tokens) is array and tokens.typecode == "i":
        return tokens  # marshal writes its bytes
    try:
        return struct.pack(f"{len(tokens)}i", *tokens)
    except (struct.error, TypeError):  # ids beyond 32 bits, or no integers: as they are
        return tokens


def unpack_samples(columns: Columns, pickled: bytes) -> list[Sample]:
    """Return the samples; the counterpart of `pack_samples`. Token ids come as ``array("i")``.

    Raises what unpickling an object in them raises.
    """
    own = pickle.loads(columns) if isinstance(columns, bytes) else columns  # noqa: S301  # from our own process
    ids, completions, tokens, *rest = own
    contexts = [_unpack_context(*context) for context in pickle.loads(pickled)]  # noqa: S301  # the same
    if len(contexts) == 1:
        contexts *= len(ids)
    return [
        _sample(i, text, prompt, reference, _unpack_tokens(t), n, cut, images, metadata, group_id, index, step)
        for i, text, t, n, cut, index, (prompt, reference, images, metadata, group_id, step) in zip(
            ids, completions, tokens, *rest, contexts, strict=True
        )
    ]


_sample = maker(Sample)


def _unpack_tokens(tokens: bytes | Sequence[int]) -> Sequence[int]:
    return array("i", tokens) if isinstance(tokens, bytes) else tokens


def _unpack_context(prompt: Any, reference: Any, images: Any, *rest: Any) -> tuple[Any, ...]:
    if isinstance(images, list):
        images = tuple(LazyImage(i) if isinstance(i, str) else i for i in images)
    return prompt, reference, images, *rest
