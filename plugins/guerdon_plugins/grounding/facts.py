"""The facts about a sample's pictures that claims are held against."""

from collections.abc import Mapping, Sequence
from typing import Any

from guerdon import Sample
from guerdon_plugins.boxes import Order, Space
from guerdon_plugins.grounding.claims import CHECKS, Pictures
from guerdon_plugins.grounding.colours import COLOURS, colours_of, named_colours
from guerdon_plugins.grounding.reference import BadGoldError, frame_of, true_boxes


def true_checks(reference: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the checks that the reference asks for.

    Raises:
        BadGoldError: there is none, or one is unknown.
    """
    checks = reference.get("check")
    if isinstance(checks, str):
        checks = [checks]
    if not isinstance(checks, Sequence) or not checks or not CHECKS.issuperset(map(str, checks)):
        raise BadGoldError(f"reference.check must list some of {', '.join(sorted(CHECKS))}; found {checks!r:.80}")
    return tuple(dict.fromkeys(map(str, checks)))


def pictures_of(sample: Sample, checks: Sequence[str], space: Space | None, order: Order | None) -> Pictures:
    """Return the facts that `checks` need.

    Raises:
        BadGoldError: one of them is unknown.
    """
    frame = frame_of(sample) if {"size", "orientation"} & set(checks) else None
    if frame is None and {"size", "orientation"} & set(checks):
        raise BadGoldError("the size of the picture is unknown: add image_width and image_height to the metadata")
    return Pictures(
        frame.width if frame else None,
        frame.height if frame else None,
        _count(sample) if "image_count" in checks else None,
        _colours(sample, space, order) if "colour" in checks else None,
    )


def _count(sample: Sample) -> int:
    count = sample.metadata.get("image_count", len(sample.images) or None)
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise BadGoldError(f"metadata.image_count must be a whole number from 0 on, found {count!r:.80}")
    return count


def _colours(sample: Sample, space: Space | None, order: Order | None) -> frozenset[str]:
    """Return ``reference.colours``, else the colours in the reference's boxes, else in the whole picture."""
    listed = sample.reference.get("colours")
    if listed is not None:
        names = frozenset(name for word in listed for name in named_colours(str(word)))
        if not names:
            raise BadGoldError(f"reference.colours names none of {', '.join(sorted(COLOURS))}: {listed!r:.80}")
        return names
    if not sample.images:
        raise BadGoldError("colours need reference.colours or a picture")
    boxes = (
        true_boxes(sample.reference, frame_of(sample), space, order).boxes if "boxes" in sample.reference else (None,)
    )
    return frozenset().union(*(colours_of(sample.images[0], box) for box in boxes))
