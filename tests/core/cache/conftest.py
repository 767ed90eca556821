import pytest

from guerdon import Group, Sample, load_plugins

SOURCE = """
from typing import ClassVar, Literal
from guerdon import Abstain, Reward, Score, UnavailableError, hookimpl

class Inline(Reward):
    name: ClassVar[str] = "inline_base"
    bounded: ClassVar[bool] = True
    isolation: Literal["process", "inline"] = "inline"
    abstract: ClassVar[bool] = True

class Counts(Inline):
    name: ClassVar[str] = "counts"
    letter: str = "a"
    table: str = ""
    def score(self, sample):
        if "crash" in sample.completion:
            raise ValueError("crash")
        if "offline" in sample.completion:
            raise UnavailableError("offline")
        if sample.metadata.get("skip") or "skip" in sample.completion:
            return Abstain("skipped")
        return Score(min(1.0, sample.completion.count(self.letter) / 10), "counted", {"n": [1, 0.1]}, {"m": 0.3})

class Ranks(Inline):
    name: ClassVar[str] = "ranks"
    keep: bool = True
    def cacheable(self):
        return self.keep
    def score_group(self, samples):
        longest = max(len(sample.completion) for sample in samples)
        return [float(len(sample.completion) == longest) for sample in samples]

@hookimpl
def register_rewards(register):
    register(Counts)
    register(Ranks)
"""


@pytest.fixture
def load(tmp_path):
    """Load the plugin, with a changed line if asked for."""

    def load(old="", new=""):
        path = tmp_path / "mine.py"
        path.write_text(SOURCE.replace(old, new) if old else SOURCE)
        return load_plugins([path])

    return load


@pytest.fixture
def plugins(load):
    return load()


@pytest.fixture
def group():
    def build(*texts, name="g", **fields):
        samples = [Sample(f"{name}/{i}", text, group_id=name, index=i, **fields) for i, text in enumerate(texts)]
        return Group(name, samples)

    return build
