import json

import pytest

from guerdon.config import build_config
from guerdon.rescoring.score import rescore
from guerdon.rescoring.sources import open_source

SOURCE = """
from typing import ClassVar, Literal
from guerdon import Reward, Score, hookimpl

class Counts(Reward):
    name: ClassVar[str] = "counts"
    bounded: ClassVar[bool] = True
    isolation: Literal["process", "inline"] = "inline"
    letter: str = "a"
    def score(self, sample):
        if "crash" in sample.completion:
            raise ValueError("crash")
        return Score(sample.completion.count(self.letter) / 10, "counted", {"letter": self.letter})

class Tokens(Counts):
    name: ClassVar[str] = "tokens"
    def score(self, sample):
        return min(1.0, (sample.tokens or 0) / 10)

@hookimpl
def register_rewards(register):
    register(Counts)
    register(Tokens)
"""


@pytest.fixture
def write_plugin(tmp_path):
    path = tmp_path / "mine.py"

    def write(old="", new=""):
        path.write_text(SOURCE.replace(old, new) if old else SOURCE)
        return path

    write()
    return write


@pytest.fixture
def data(tmp_path, write_plugin):
    """A configuration as YAML data."""
    return {
        "run": {"name": "again"},
        "model": {"name_or_path": "./none"},
        "data": {"train_manifest": "none.jsonl"},
        "plugins": [str(tmp_path / "mine.py")],
        "outcome": "answer",
        "algorithm": {"advantage": "sum"},
        "rewards": {"answer": {"use": "counts"}, "brief": {"use": "tokens", "weight": 0.1}},
    }


def line(number, completions, **more):
    message = {"role": "user", "content": f"question {number}"}
    return {
        "id": f"q{number}",
        "messages": [message],
        "reference": {"answer": number},
        "completions": completions,
    } | more


@pytest.fixture
def completions(tmp_path):
    """Write a file of completions and return it."""

    def write(rows=None, name="written.jsonl"):
        texts = [{"text": "a" * k, "token_count": k + 1} for k in range(3)]
        rows = rows if rows is not None else [line(n, [*texts, "b" * (n % 3)]) for n in range(5)]
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


@pytest.fixture
def again(tmp_path, data):
    """Rescore; the configuration may be changed."""

    def again(source, name="out", change=None, **options):
        config, plugins = build_config((change or (lambda d: d))(json.loads(json.dumps(data))))
        return rescore(config, plugins, open_source(source), tmp_path / name, workers=1, **options)

    return again
