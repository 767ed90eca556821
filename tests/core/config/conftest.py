"""A small configuration that is valid, and a way to change one field of it."""

import copy
from typing import Any

import pytest

from guerdon.config import RunConfig, build_config

BASE: dict[str, Any] = {
    "run": {"name": "chart-qa"},
    "model": {"name_or_path": "./model"},
    "data": {"train_manifest": "train.jsonl"},
    "outcome": "answer",
    "rewards": {"answer": {"use": "correctness"}, "boxes": {"use": "grounding", "weight": 0.5}},
}


def changed(**fields: Any) -> dict[str, Any]:
    """Return the configuration with fields set by path, such as ``runtime__steps=3``."""
    data = copy.deepcopy(BASE)
    for path, value in fields.items():
        *parents, last = path.split("__")
        target = data
        for part in parents:
            target = target.setdefault(part, {})
        target[last] = value
    return data


@pytest.fixture
def data():
    return changed


@pytest.fixture
def config():
    def build(**fields: Any) -> RunConfig:
        return build_config(changed(**fields))[0]

    return build
