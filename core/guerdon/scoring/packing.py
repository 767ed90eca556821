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
from types import MappingProxyType
from typing import Any, NamedTuple

from guerdon.images import LazyImage
from guerdon.sample import Sample

_OWN = attrgetter("id", "completion", "completion_tokens", "token_count", "truncated", "index")
_SHARED = attrgetter("prompt", "reference", "images", "metadata", "group_id", "step")


class Packed(NamedTuple):
    """Samples in a form that pickles fast."""

    columns: bytes
    """A tuple of columns, one for each field in `_OWN`."""
    marshalled: bool
    """By `marshal`; else by `pickle`, for values that are not quite plain."""
    contexts: bytes
    """A pickled list of the fields in `_SHARED`: one entry for all samples, or one for each."""


def pack_samples(samples: Sequence[Sample]) -> Packed:
    """Pack at least one sample. Raises what pickling an object in it raises."""
    own = list(zip(*map(_OWN, samples), strict=True))
    own[2] = tuple([_pack_tokens(tokens) for tokens in own[2]])
    try:
        columns, marshalled = marshal.dumps(tuple(own), 2), True
    except ValueError:
        columns, marshalled = pickle.dumps(own), False
    sources = samples[:1] if _share(samples) else samples
    contexts = [_pack_context(*_SHARED(sample)) for sample in sources]
    return Packed(columns, marshalled, pickle.dumps(contexts))


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
    if isinstance(tokens, array) and tokens.typecode == "i":
        return tokens.tobytes()
    try:
        return struct.pack(f"{len(tokens)}i", *tokens)
    except (struct.error, TypeError):  # ids beyond 32 bits, or no integers: as they are
        return tokens


def unpack_samples(packed: tuple[bytes, bool, bytes]) -> list[Sample]:
    """Return the samples; the counterpart of `pack_samples`. Token ids come as ``array("i")``.

    Raises what unpickling an object in them raises.
    """
    columns, marshalled, pickled = packed
    ids, completions, tokens, *rest = marshal.loads(columns) if marshalled else pickle.loads(columns)  # noqa: S301, S302
    contexts = [_unpack_context(*context) for context in pickle.loads(pickled)]  # noqa: S301  # from our own process
    if len(contexts) == 1:
        contexts *= len(ids)
    return [
        Sample(i, text, prompt, reference, _unpack_tokens(t), n, cut, images, metadata, group_id, index, step)
        for i, text, t, n, cut, index, (prompt, reference, images, metadata, group_id, step) in zip(
            ids, completions, tokens, *rest, contexts, strict=True
        )
    ]


def _unpack_tokens(tokens: bytes | Sequence[int]) -> Sequence[int]:
    return array("i", tokens) if isinstance(tokens, bytes) else tokens


def _unpack_context(prompt: Any, reference: Any, images: Any, *rest: Any) -> tuple[Any, ...]:
    if isinstance(images, list):
        images = tuple(LazyImage(i) if isinstance(i, str) else i for i in images)
    return prompt, reference, images, *rest
