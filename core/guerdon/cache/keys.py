"""What a score is kept under: the component's code and fields, and all that a reward may look at."""

import hashlib
import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from guerdon.cache.code import code_digest
from guerdon.errors import DataError
from guerdon.images import LazyImage, scheme_of
from guerdon.plugins import Plugins
from guerdon.reward import Reward, scoring_method
from guerdon.sample import Message, Sample

WITHOUT_EFFECT = frozenset({"weight", "role", "min_spread", "timeout_s", "isolation", "limits"})
"""Fields of a reward that no record depends on; a record that ran out of time is never kept."""

SIZE = 16
"""Bytes of a digest."""

KNOWN_PICTURES = 4096
"""Pictures whose digest is remembered."""


def component_digest(reward: Reward, plugins: Plugins | None = None) -> bytes | None:
    """Return the digest of a reward's code and fields, or None where it says that it is not `cacheable`.

    A field that is the path of a file counts with the file's content.
    """
    if not reward.cacheable():
        return None
    fields = reward.model_dump(mode="json", exclude=set(WITHOUT_EFFECT))
    try:
        code = code_digest(type(reward), plugins)
    except (OSError, TypeError):  # a class without a file: nobody can tell whether it changed
        return None
    text = json.dumps([reward.name, code, fields, list(_contents(fields))])
    return hashlib.blake2b(text.encode(), digest_size=SIZE).digest()


def _contents(value: Any) -> Iterator[str]:
    """Return the digests of the files that strings anywhere in `value` name."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _contents(item)
    elif isinstance(value, str) and (body := _read(value)) is not None:
        yield hashlib.sha256(body).hexdigest()


def _read(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes() if path and Path(path).is_file() else None
    except (OSError, ValueError):  # a text that no file system takes as a path
        return None


class SampleKeys:
    """Digests of samples: completion, prompt, pictures, reference, metadata and step; not ids and places."""

    def __init__(self) -> None:
        self._pictures: dict[str, bytes] = {}

    def of_group(self, samples: Sequence[Sample]) -> list[bytes] | None:
        """Return a digest for each sample; None where a picture cannot be read or something is no JSON."""
        digests: list[bytes] = []
        shared: tuple[Any, ...] = ()
        context = hashlib.blake2b()
        try:
            for sample in samples:
                parts = (sample.prompt, sample.reference, sample.metadata, sample.images, sample.step)
                if not shared or any(one is not other for one, other in zip(parts, shared, strict=True)):
                    shared, context = parts, self._context(sample)
                digests.append(_own(context, sample))
        except (DataError, TypeError, ValueError, RecursionError):
            return None
        return digests

    def _context(self, sample: Sample) -> "hashlib.blake2b":
        facts = [_texts(sample.prompt), dict(sample.reference), dict(sample.metadata), sample.step]
        digest = hashlib.blake2b(json.dumps(facts).encode(), digest_size=SIZE)
        for image in sample.images:
            digest.update(self._picture(image))
        return digest

    def _picture(self, image: LazyImage) -> bytes:
        """Return the digest of the encoded bytes, read once for each content of a file."""
        place = _place(image.source)
        if (known := self._pictures.get(place)) is None:
            if len(self._pictures) >= KNOWN_PICTURES:
                self._pictures.clear()
            known = self._pictures[place] = hashlib.sha256(image.read()).digest()
        return known


def together(digests: Sequence[bytes]) -> list[bytes]:
    """Return the digests of samples that are judged against each other: each with all of its group."""
    group = hashlib.blake2b(b"".join(digests), digest_size=SIZE).digest()
    places = enumerate(digests)
    return [hashlib.blake2b(group + own + str(n).encode(), digest_size=SIZE).digest() for n, own in places]


def alone(reward: Reward) -> bool:
    """Tell whether a reward judges each sample by itself."""
    return scoring_method(type(reward)) == "score"


def _own(context: "hashlib.blake2b", sample: Sample) -> bytes:
    digest = context.copy()
    tokens = sample.completion_tokens
    text = f"{sample.token_count}|{sample.truncated}|{len(tokens)}|{sample.completion}"
    digest.update(text.encode("utf-8", "surrogatepass"))
    if tokens:
        digest.update(array("q", tokens).tobytes())
    return digest.digest()


def _texts(prompt: Sequence[Message]) -> list[Any]:
    """Return the messages, each picture without its place: its content counts."""
    return [
        {**message, "content": [_part(part) for part in message["content"]]}
        if isinstance(message.get("content"), list | tuple)
        else dict(message)
        for message in prompt
    ]


def _part(part: Any) -> Any:
    return {"type": "image"} if isinstance(part, Mapping) and part.get("type") == "image" else part


def _place(source: str) -> str:
    """Identify a picture without reading it; a file that changes is another one."""
    if scheme_of(source) == "data":
        return hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()
    try:
        facts = Path(source.removeprefix("file://")).stat()
    except (OSError, ValueError):
        return source
    return f"{source}|{facts.st_mtime_ns}|{facts.st_size}"
