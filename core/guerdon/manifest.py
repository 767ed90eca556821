"""Reading manifests: the prompts of a data set, one JSON object a line."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guerdon.errors import DataError
from guerdon.images import LazyImage, scheme_of
from guerdon.sample import Message

FIELDS = frozenset({"id", "messages", "reference", "metadata"})


@dataclass(frozen=True, slots=True)
class Prompt:
    """One line of a manifest."""

    id: str
    messages: Sequence[Message]
    reference: Mapping[str, Any]
    metadata: Mapping[str, Any]
    images: Sequence[LazyImage]
    """The images of all messages, in order; relative paths are taken from the manifest's folder."""

    @property
    def modality(self) -> str:
        """``text``, ``image`` or ``images``."""
        return ("text", "image")[len(self.images)] if len(self.images) < 2 else "images"


def read_manifest(path: str | Path) -> list[Prompt]:
    """Read every prompt of a manifest.

    Raises:
        DataError: names file, line and field: no such file, malformed JSON, an unknown or missing
            field, an id that stands twice, video, or no prompts at all.
    """
    file = Path(path)
    try:
        lines = file.read_text(encoding="utf-8").split("\n")  # JSON strings may hold U+2028, where splitlines splits
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"manifest {path} cannot be read: {error}") from error
    prompts = [_parse(line, file, number) for number, line in enumerate(lines, 1) if line.strip()]
    if not prompts:
        raise DataError(f"manifest {path} holds no prompts")
    _check_ids(prompts, file)
    return prompts


def _check_ids(prompts: Sequence[Prompt], file: Path) -> None:
    seen: set[str] = set()
    for prompt in prompts:
        if prompt.id in seen:
            raise DataError(f"{file}: the id {prompt.id!r} stands twice; ids identify prompts in the ledger")
        seen.add(prompt.id)


def _parse(line: str, file: Path, number: int) -> Prompt:
    where = f"{file}:{number}"
    return prompt_of(parse_line(line, where), file, where)


def prompt_of(row: Any, file: Path, where: str) -> Prompt:
    """Make a prompt of one line's JSON.

    Raises:
        DataError: names `where` and the field.
    """
    if not isinstance(row, dict) or not row.keys() >= {"id", "messages"} or row.keys() - FIELDS:
        found = sorted(row) if isinstance(row, dict) else type(row).__name__
        raise DataError(f"{where}: a line has id and messages, and may have reference and metadata; found {found}")
    messages = row["messages"]
    if not isinstance(row["id"], str) or not row["id"]:
        raise DataError(f"{where}: id must be a non-empty string; found {row['id']!r}")
    if not isinstance(messages, list) or not messages:
        raise DataError(f"{where}: messages must be a non-empty list; found {messages!r:.100}")
    images = tuple(image for message in messages for image in _images(message, file, where))
    if messages[-1]["role"] == "assistant":
        raise DataError(f"{where}: the last message is the assistant's; a prompt ends where the policy is to write")
    return Prompt(row["id"], messages, _mapping(row, "reference", where), _mapping(row, "metadata", where), images)


def parse_line(line: str, where: str) -> Any:
    """Parse one line; NaN, infinities and lone surrogates are refused: no table or tokenizer takes them."""
    try:
        row = json.loads(line, parse_constant=_no_number)
        if "\\u" in line:
            json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise DataError(f"{where} holds a lone surrogate (\\ud800 to \\udfff), which is no character") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is no JSON: {error}") from error
    return row


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _mapping(row: Mapping[str, Any], field: str, where: str) -> Mapping[str, Any]:
    value = row.get(field)
    if value is not None and not isinstance(value, dict):
        raise DataError(f"{where}: {field} must be an object; found {value!r:.100}")
    return value or {}


def _images(message: object, file: Path, where: str) -> list[LazyImage]:
    if not isinstance(message, dict) or message.keys() != {"role", "content"}:
        raise DataError(f"{where}: a message has role and content and nothing else; found {message!r:.100}")
    if message["role"] not in ("system", "user", "assistant"):
        raise DataError(
            f"{where}: role {message['role']!r} is none of system, user, assistant; tools are not supported"
        )
    if isinstance(message["content"], str):
        return []
    if not isinstance(message["content"], list):
        raise DataError(f"{where}: content must be text or a list of parts; found {message['content']!r:.100}")
    return [image for part in message["content"] if (image := _image(part, file, where))]


def _image(part: object, file: Path, where: str) -> LazyImage | None:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part, dict) and isinstance(part.get("text"), str):
        return None
    if kind == "image" and isinstance(part, dict) and isinstance(part.get("image"), str):
        source = part["image"]
        return LazyImage(source if scheme_of(source) else str(file.parent / source))
    raise DataError(
        f"{where}: a content part is {{type: text, text}} or {{type: image, image: path or data URL}}; "
        f"found {part!r:.100} (video is not supported)"
    )
