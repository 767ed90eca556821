"""Right and wrong answers, built from a reference."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from guerdon.sample import Sample
from guerdon.testing import boxes

NOT_IT = "none of these"
"""A text that is no right answer."""

_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class Answers:
    """A right answer and wrong ones in the same notation."""

    notation: str
    """``text``, or space and order of boxes."""

    right: str
    wrong: tuple[str, ...] = ()
    several: tuple[str, ...] = ()
    """All that could be chosen, the right answer among them."""

    tricks: Mapping[str, str] | None = None
    """Malicious answers by what they do; None of them is right."""

    order: tuple[str, ...] = ()
    """Answers from the worst to the best."""


type Notation = tuple[str, Callable[[], Answers]]
"""The name of a notation, and what writes the answers in it: boxes have sixteen, and one is wanted."""


def answers_of(sample: Sample) -> list[Answers]:
    """Return what the reference lets one write, in each notation that a reward may expect.

    Empty for a type that is not known, or a reference that cannot be used.
    """
    return [make() for _, make in notations_of(sample)]


def notations_of(sample: Sample) -> list[Notation]:
    """Return the notations of `answers_of`, nothing written yet."""
    kind = sample.reference.get("type")
    maker = _MAKERS.get(kind) if isinstance(kind, str) else None
    found: list[Notation] = [
        (item.notation, partial(_itself, item)) for item in (maker(sample.reference) if maker else ())
    ]
    if "boxes" in sample.reference and (page := boxes.page_of(sample)):
        found += _points(page) if kind == "point_in_box" else _boxes(page)
    return found


def _itself(answers: Answers) -> Answers:
    return answers


def _choice(reference: Mapping[str, Any]) -> Iterator[Answers]:
    options, answer = reference.get("options"), reference.get("answer")
    if not isinstance(options, Mapping | Sequence) or isinstance(options, str):
        return
    labels = [str(option) for option in options]
    right = [str(item) for item in answer] if isinstance(answer, list | tuple) else [str(answer)]
    if set(right) <= set(labels):
        wrong = tuple(label for label in labels if label not in right)
        yield Answers("text", ", ".join(right), wrong, tuple(labels) if wrong else ())


def _exact(reference: Mapping[str, Any]) -> Iterator[Answers]:
    answer, choices = reference.get("answer"), reference.get("choices")
    golds = [str(item) for item in answer] if isinstance(answer, list | tuple) else [str(answer)]
    if answer is None or not golds or not golds[0].strip():
        return
    listed = (
        [str(choice) for choice in choices] if isinstance(choices, Sequence) and not isinstance(choices, str) else []
    )
    wrong = [choice for choice in listed if choice not in golds] or [NOT_IT]
    yield Answers("text", golds[0], tuple(wrong), tuple(listed))


def _numeric(reference: Mapping[str, Any]) -> Iterator[Answers]:
    answer = reference.get("answer")
    answer = answer[0] if isinstance(answer, list | tuple) and answer else answer
    match = _NUMBER.search(str(answer))
    if isinstance(answer, bool) or match is None:
        return
    value = float(match[0].replace(",", ""))
    if math.isfinite(value):
        others = [f"{other:.10g}" for other in (value * 3 + 7, -value - 1)]
        text = str(answer)
        yield Answers("text", text, tuple(text[: match.start()] + other + text[match.end() :] for other in others))


def _math(reference: Mapping[str, Any]) -> Iterator[Answers]:
    answer = reference.get("answer")
    answer = answer[0] if isinstance(answer, list | tuple) and answer else answer
    if isinstance(answer, str | int | float) and str(answer).strip():
        yield Answers("text", f"${answer}$", ("$7919$",) if str(answer) != "7919" else ("$7917$",))


def _count(reference: Mapping[str, Any]) -> Iterator[Answers]:
    answer = str(reference.get("answer"))
    if answer.isascii() and answer.isdigit():
        yield Answers("text", answer, tuple(str(int(answer) + more) for more in (1, 2)))


def _texts(reference: Mapping[str, Any]) -> Iterator[Answers]:
    texts = reference.get("texts")
    if isinstance(texts, Sequence) and not isinstance(texts, str) and texts and all(isinstance(t, str) for t in texts):
        whole = reference.get("type") == "ocr_present"
        yield Answers("text", ", ".join(texts) if whole else texts[0], (NOT_IT,))


def _fields(reference: Mapping[str, Any]) -> Iterator[Answers]:
    answer = reference.get("answer")
    if isinstance(answer, Mapping) and answer:
        tricks = {"every value null": json.dumps(dict.fromkeys(answer)), "no fields": "{}"}
        wrong = json.dumps(_other(answer), ensure_ascii=False)
        yield Answers("text", json.dumps(answer, ensure_ascii=False), (wrong,), tricks=tricks)


def _other(value: Any) -> Any:
    """Return JSON of the same form in which every value is another one."""
    if isinstance(value, Mapping):
        return {key: _other(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_other(item) for item in value]
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int | float) else NOT_IT


def _boxes(page: boxes.Page) -> list[Notation]:
    return [
        (f"{space} {order}", partial(_boxes_in, page, space, order))
        for space in boxes.spaces_of(page)
        for order in boxes.ORDERS
    ]


def _boxes_in(page: boxes.Page, space: str, order: str) -> Answers:
    write = partial(boxes.write, page, space=space, order=order)
    away = boxes.elsewhere(page)
    return Answers(
        f"{space} {order}",
        write(page.boxes),
        (write(away),) if away else (),
        tricks=boxes.tricks(page, space, order),
        order=tuple(write(boxes.shifted(page, step)) for step in boxes.STEPS) if page.boxes else (),
    )


def _points(page: boxes.Page) -> list[Notation]:
    """Return a point in the middle of each box, and one where no box is."""
    return [
        (f"points, {space} {order}", partial(_points_in, page, space, order))
        for space in boxes.spaces_of(page)
        for order in ("xyxy", "yxyx")
    ]


def _points_in(page: boxes.Page, space: str, order: str) -> Answers:
    away = boxes.elsewhere(page)
    wrong = (_write_points(page, away, space, order),) if away else ()
    return Answers(f"points, {space} {order}", _write_points(page, page.boxes, space, order), wrong)


def _write_points(page: boxes.Page, around: Sequence[boxes.Box], space: str, order: str) -> str:
    written = boxes.write(page, around, space, "cxcywh")
    centres = [row["bbox_2d"][:2] for row in json.loads(written)]
    return json.dumps([{"point_2d": centre[::-1] if order == "yxyx" else centre} for centre in centres])


_MAKERS = {
    "choice": _choice,
    "exact": _exact,
    "numeric": _numeric,
    "math": _math,
    "fields": _fields,
    "count": _count,
    "ocr": _texts,
    "ocr_present": _texts,
}
