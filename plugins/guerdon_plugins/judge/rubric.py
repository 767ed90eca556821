"""The rubric: text with places that are filled from the sample's own facts."""

import json
import re
from collections.abc import Iterator

from guerdon import Sample

_PLACE = re.compile(r"\{(reference|metadata)\.([A-Za-z_][A-Za-z0-9_]*)\}")
_LOOKS_LIKE_PLACE = re.compile(r"\{([a-z_]+(?:\.[A-Za-z0-9_]*)?)\}")


def check_rubric(rubric: str) -> str:
    """Return the rubric.

    Raises:
        ValueError: it is blank, or has a place that nothing fills.
    """
    if not rubric.strip():
        raise ValueError("rubric is blank; say what a good answer is, and what each score stands for")
    for found in _LOOKS_LIKE_PLACE.finditer(rubric):
        if not _PLACE.fullmatch(found[0]):
            raise ValueError(
                f"rubric has the place {found[0]}; only {{reference.KEY}} and {{metadata.KEY}} are filled: prompt "
                "and completion are handed to the judge apart, as data"
            )
    return rubric


def missing_facts(rubric: str, sample: Sample) -> list[str]:
    """Name the places for which the sample has nothing."""
    return sorted({f"{part}.{key}" for part, key in _places(rubric) if getattr(sample, part).get(key) is None})


def fill(rubric: str, sample: Sample) -> str:
    """Put the sample's facts in their places; what is no text is written as JSON."""
    return _PLACE.sub(lambda match: _text(getattr(sample, match[1]).get(match[2])), rubric)


def _places(rubric: str) -> Iterator[tuple[str, str]]:
    return ((match[1], match[2]) for match in _PLACE.finditer(rubric))


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
