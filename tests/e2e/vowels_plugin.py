"""A reward as a researcher writes it in one file, outside the package."""

from typing import ClassVar

from guerdon import Reward, Sample, Score, hookimpl


class Vowels(Reward):
    """Share of vowels among the letters of the completion."""

    name: ClassVar[str] = "vowels"

    def score(self, sample: Sample) -> Score:
        letters = [c for c in sample.completion.lower() if c.isalpha()]
        return Score(sum(c in "aeiou" for c in letters) / max(1, len(letters)))


@hookimpl
def register_rewards(register) -> None:
    register(Vowels)
