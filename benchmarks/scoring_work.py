"""The samples and rewards that the scoring benchmarks and their peers share."""

import asyncio
import random
import time
from array import array
from functools import cache
from typing import ClassVar

from pydantic import Field

from guerdon import Group, LazyImage, Reward, Sample, Score

PROMPTS = 128
SIZE = 8
TOKENS = 300
WORDS = ("answer", "think", "box", "count", "zebra")


@cache
def groups(prompts: int = PROMPTS, size: int = SIZE) -> list[Group]:
    """Return a batch: completions of some 1,000 characters and 300 tokens, one picture by reference."""
    rng = random.Random(0)
    made: list[Group] = []
    for number in range(prompts):
        prompt = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "How many? " * 20}]}]
        reference = {"type": "choice", "answer": "B", "options": list("ABCD")}
        images = (LazyImage(f"images/{number}.jpg"),)
        samples = [
            Sample(
                f"{number}/{index}",
                "<think>" + " ".join(rng.choices(WORDS, k=170)) + "</think> The answer is B.",
                prompt,
                reference,
                array("i", [rng.randrange(150_000) for _ in range(TOKENS)]),
                images=images,
                metadata={},
                group_id=str(number),
                index=index,
                step=1,
            )
            for index in range(size)
        ]
        for sample in samples:
            object.__setattr__(sample, "metadata", samples[0].metadata)
        made.append(Group(str(number), samples))
    return made


class Trivial(Reward):
    """A value and nothing else: what is measured is the overhead."""

    name: ClassVar[str] = "trivial"
    bounded: ClassVar[bool] = True

    word: str

    def score(self, sample: Sample) -> float:
        """Return 1 if the completion holds the word."""
        return 1.0 if self.word in sample.completion else 0.0


class Told(Reward):
    """A value with reason and evidence."""

    name: ClassVar[str] = "told"
    bounded: ClassVar[bool] = True

    word: str

    def score(self, sample: Sample) -> Score:
        """Return where the word stands."""
        place = sample.completion.find(self.word)
        return Score(float(place >= 0), "found", {"span": [place, place + len(self.word)], "word": self.word})


class Waits(Reward):
    """An async reward that waits 20 ms."""

    name: ClassVar[str] = "waits"

    async def score(self, sample: Sample) -> float:
        """Wait."""
        await asyncio.sleep(0.02)
        return 1.0


class Works(Reward):
    """A fixed amount of computing."""

    name: ClassVar[str] = "works"

    loops: int = Field(ge=0)

    def score(self, sample: Sample) -> float:
        """Add numbers up."""
        return float(sum(range(self.loops)) >= 0)


class Hangs(Reward):
    """Never returns for some completions."""

    name: ClassVar[str] = "hangs"

    def score(self, sample: Sample) -> float:
        """Sleep if told so."""
        if sample.completion == "hang":
            time.sleep(3600)
        return 1.0


class Maths(Reward):
    """math-verify on a completion that holds a LaTeX answer."""

    name: ClassVar[str] = "maths"

    def prepare(self) -> None:
        """Import sympy before the clock runs."""
        import math_verify  # noqa: F401

    def score(self, sample: Sample) -> float:
        """Compare with the reference."""
        from math_verify import parse, verify

        return float(verify(parse(sample.reference["gold"]), parse(sample.completion)))


@cache
def maths_groups(prompts: int = 16, size: int = 8) -> list[Group]:
    """Return samples that math-verify needs some time for."""
    made: list[Group] = []
    answer = r"So it is $\boxed{\sqrt{%d}+\frac{%d}{%d}x^2}$"
    for number in range(prompts):
        gold = rf"$\frac{{{number + 1}}}{{{number + 3}}}x^2+\sqrt{{{number + 2}}}$"
        made.append(
            Group(
                str(number),
                [
                    Sample(
                        f"{number}/{index}",
                        answer % (number + 2, number + 1 + index % 2, number + 3),
                        reference={"gold": gold},
                        group_id=str(number),
                        index=index,
                    )
                    for index in range(size)
                ],
            )
        )
    return made
