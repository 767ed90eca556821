"""The quickstart's prompts: what is shown, what is asked, what is true, and the expected completion."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Final, Literal

from guerdon_trainer.quickstart.pictures import COLOURS, SHAPES, Picture, load_picture
from guerdon_trainer.quickstart.questions import Question

LETTERS: Final = ("A", "B", "C")
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "color": COLOURS,
    "shape": SHAPES,
    "yes_no": ("yes", "no"),
    "nth_color": COLOURS,
    "same_color": ("yes", "no"),
}
"""The closed list of answers to each kind of question whose reference is ``exact``."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt with its truth."""

    kind: str
    """The kind of question: ``color``, ``shape``, ``yes_no``, ``letter`` (one picture), ``nth_color``,
    ``same_color`` (two pictures side by side) or ``sum`` (text only)."""
    text: str
    pictures: tuple[Picture, ...]
    thought: str
    """What the expected completion says between its think tags."""
    answer: str
    reference: dict[str, object]
    """The truth, in the form that the reward plugins read."""

    @property
    def modality(self) -> str:
        """Name the modality: ``text``, ``image`` or ``images``."""
        return ("text", "image", "images")[len(self.pictures)]

    @property
    def completion(self) -> str:
        """Spell out the expected completion, about 42 tokens for one picture."""
        return f"<think>{self.thought}</think><answer>{self.answer}</answer>"


def ask_question(question: Question) -> Prompt:
    """Ask one of easy-VQA's own questions about its picture."""
    picture = load_picture(question.collection, question.number)
    return _about_one(question.kind, question.text, picture, question.answer, _exact(question.kind, question.answer))


def ask_letter(rng: Random, picture: Picture) -> Prompt:
    """Ask for the colour as a choice of three letters."""
    colours = [picture.colour, *rng.sample([colour for colour in COLOURS if colour != picture.colour], 2)]
    rng.shuffle(colours)
    options = dict(zip(LETTERS, colours, strict=True))
    answer = LETTERS[colours.index(picture.colour)]
    text = "what color is the shape? " + " ".join(f"{letter} {colour}" for letter, colour in options.items())
    return _about_one("letter", text, picture, answer, {"type": "choice", "answer": answer, "options": options})


def ask_nth_color(first: Picture, second: Picture, *, nth: Literal["first", "second"]) -> Prompt:
    """Ask for the colour of the shape in the first, or the second, of two pictures."""
    target = first if nth == "first" else second
    return _about_two("nth_color", f"what color is the {nth} shape?", first, second, target.colour)


def ask_same_color(first: Picture, second: Picture) -> Prompt:
    """Ask whether two pictures show the same colour."""
    answer = "yes" if first.colour == second.colour else "no"
    return _about_two("same_color", "do both pictures show the same color?", first, second, answer)


def ask_sum(left: int, right: int) -> Prompt:
    """Ask for the sum of two digits, without a picture."""
    total = left + right
    reference: dict[str, object] = {"type": "numeric", "answer": total}
    return Prompt("sum", f"what is {left} plus {right}?", (), f"{left} + {right}", str(total), reference)


def all_sums() -> list[tuple[int, int]]:
    """List the 100 pairs of digits; every split draws from them, since there are no more."""
    return list(product(range(10), range(10)))


def _exact(kind: str, answer: str) -> dict[str, object]:
    return {"type": "exact", "answer": answer, "choices": list(CHOICES[kind])}


def _about_one(kind: str, text: str, picture: Picture, answer: str, reference: dict[str, object]) -> Prompt:
    grounding = {"boxes": [list(picture.box)], "ref_space": "abs", "ref_order": "xyxy", "labels": [picture.label]}
    box = ", ".join(str(edge) for edge in picture.thousandths)
    thought = f'{{"bbox_2d": [{box}], "label": "{picture.label}"}}'
    return Prompt(kind, text, (picture,), thought, answer, {**reference, **grounding})


def _about_two(kind: str, text: str, first: Picture, second: Picture, answer: str) -> Prompt:
    thought = f"{first.label}, {second.label}"
    return Prompt(kind, text, (first, second), thought, answer, _exact(kind, answer))
