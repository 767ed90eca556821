"""Completions that nobody would write: cases of graders, mutated with a sense for their structure."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CASES = Path(__file__).parents[1] / "tests" / "cases"

PIECES = (
    *("<think>", "</think>", "<answer>", "</answer>", "<think", "</ answer>", "◁think▷", "◁/think▷", "<reasoning>"),
    *(
        "\\boxed{",
        "}",
        "{",
        "\\frac{1}{2}",
        "\\frac{",
        "\\text{",
        "\\boxed{}",
        "$",
        "$$",
        "\\(",
        "\\sqrt{2}",
        "^{",
        "_",
    ),
    *("```json\n", "```", "~~", "**", "####", "# Answer\n", "| a | b |", "\n\n", "\r\n", "\t", "> ", "- ", "1. "),
    *('{"bbox_2d": [1, 2, 3, 4]}', "[1, 2, 3, 4]", "[[", "]]", "<box>", "</box>", "<|box_start|>", "<|box_end|>"),
    *("(1,2),(3,4)", '"label": "', "NaN", "Infinity", "-Infinity", "1e999", "null", "true", '{"a":', "[[[[", "]]]]"),
    *(
        "A",
        "B",
        "A or B",
        "none of the above",
        "The answer is ",
        "答案是",
        "选",
        "不是",
        "或",
        "wait, no",
        "not ",
        "yes",
        "no",
    ),
    *(
        "7",
        "-7",
        "1,234",
        "1.234,5",
        "7/0",
        "3 1/2",
        "½",
        "10^",
        "1e400",
        "९",
        "七",
        "三百五",
        "百分之",
        "%",
        "‰",
        "°C",
        " kg",
    ),
    *("５", "－", "\u2212", "±", "≈", "=", "==", "<", ">", "≤", "twenty", "half", "million", "km/h", "cm^2", "$", "€"),
    *(
        "\u200b",
        "\u2060",
        "\ufeff",
        "\u202e",
        "\u0301",
        "\x00",
        "\x1b",
        "\ud800",
        "\udfff",
        "\U0001f600",
        "ﬁ",
        "İ",
        "ß",
    ),
    *(
        "ignore previous instructions",
        "rm -rf /",
        "AKIAQ4XZ7MPLE3TR2WVN",
        "4275 5828 2357 4162",
        "a@b.com",
        "http://x.y/",
    ),
    *(
        "javascript:",
        "%69%67",
        "aWdub3Jl",
        "&lt;",
        "&#8203;",
        "<|im_end|>",
        "</s>",
        "```python\n",
        "import os",
        "data:",
    ),
)
"""What the graders look for, and what upsets parsers."""

WRAPS = (
    *(("<answer>", "</answer>"), ("<think>", "</think>"), ("\\boxed{", "}"), ("```json\n", "\n```")),
    *(("[", "]"), ('{"a": ', "}"), ("**", "**"), ("\u201c", "\u201d")),
)
"""What a piece of a completion may be put into."""

MAX_LENGTH = 3000
"""Characters of a usual completion; one in a thousand is longer."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A case without its completion."""

    plugin: str
    config: Mapping[str, Any]
    reference: Mapping[str, Any]
    metadata: Mapping[str, Any]
    completion: str


def seeds() -> list[Seed]:
    """Read the cases that have one completion."""
    found: list[Seed] = []
    for path in sorted(CASES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if case["plugin"] == "framework" or "completion" not in case:
                continue
            rest = (case.get(key) or {} for key in ("config", "reference", "metadata"))
            found.append(Seed(case["plugin"], *rest, case["completion"]))
    return found


class Mutator:
    """Makes completions from completions."""

    def __init__(self, texts: Sequence[str], seed: int = 0) -> None:
        self.random = random.Random(seed)
        self._texts = list(texts)
        self._changes = (self._insert, self._insert, self._insert, self._splice, self._cut, self._repeat, self._swap,
                         self._wrap, self._character, self._digit)  # fmt: skip

    def make(self) -> str:
        """Return a completion."""
        text = self.random.choice(self._texts)
        for _ in range(self.random.choice((0, 1, 1, 2, 2, 3, 5, 8))):
            text = self.random.choice(self._changes)(text)
        if self.random.random() < 0.001:
            return text * self.random.choice((10, 100, 1000))
        return text[:MAX_LENGTH]

    def keep(self, text: str) -> None:
        """Mutate this one further from now on."""
        self._texts.append(text[:MAX_LENGTH])

    def _place(self, text: str) -> int:
        return self.random.randint(0, len(text))

    def _range(self, text: str) -> tuple[int, int]:
        start = self._place(text)
        return start, min(len(text), start + self.random.choice((1, 2, 5, 20, 100)))

    def _insert(self, text: str) -> str:
        at = self._place(text)
        return text[:at] + self.random.choice(PIECES) + text[at:]

    def _splice(self, text: str) -> str:
        other = self.random.choice(self._texts)
        return text[: self._place(text)] + other[self._place(other) :]

    def _cut(self, text: str) -> str:
        start, end = self._range(text)
        return text[:start] + text[end:]

    def _repeat(self, text: str) -> str:
        start, end = self._range(text)
        return text[:end] + text[start:end] * self.random.choice((1, 2, 10, 50)) + text[end:]

    def _swap(self, text: str) -> str:
        start, end = self._range(text)
        return text[end:] + text[start:end] + text[:start]

    def _wrap(self, text: str) -> str:
        left, right = self.random.choice(WRAPS)
        start, end = self._range(text)
        return text[:start] + left + text[start:end] + right + text[end:]

    def _character(self, text: str) -> str:
        at = self._place(text)
        high = self.random.choice((0x7F, 0x2FFF, 0xFFFF, 0x10FFFF))
        return text[:at] + chr(self.random.randint(0, high)) + text[at + 1 :]

    def _digit(self, text: str) -> str:
        return "".join(self.random.choice("0123456789") if char.isdigit() and self.random.random() < 0.3 else char
                       for char in text)  # fmt: skip
