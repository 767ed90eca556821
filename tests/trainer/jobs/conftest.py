"""A working folder with a run: configuration, plugin, manifest, picture."""

import json

import pytest
import yaml

PLUGIN = """
from typing import ClassVar

from guerdon import Reward, hookimpl


class One(Reward):
    name: ClassVar[str] = "one"

    def score(self, sample):
        return 1.0


@hookimpl
def register_rewards(register):
    register(One)
"""


@pytest.fixture
def work(tmp_path):
    """Write the folder; sections are merged over a small default. Return the configuration's path."""

    def write(**sections):
        folder = tmp_path / "work"
        (folder / "data" / "images").mkdir(parents=True, exist_ok=True)
        (folder / "data" / "images" / "1.png").write_bytes(b"png")
        parts = [{"type": "image", "image": "images/1.png"}, {"type": "text", "text": "?"}]
        row = {"id": "q", "messages": [{"role": "user", "content": parts}]}
        (folder / "data" / "train.jsonl").write_text(json.dumps(row) + "\n")
        (folder / "ours.py").write_text(PLUGIN)
        data = {
            "run": {"name": "chart-qa"},
            "model": {"name_or_path": "/fsx/models/m"},
            "runtime": {"gradient_accumulation_steps": 8, "output_dir": "/fsx/runs"},
            "data": {"train_manifest": "data/train.jsonl"},
            "plugins": ["ours.py"],
            "outcome": "one",
            "rewards": {"one": {}},
        }
        for name, fields in sections.items():
            data[name] = {**data.get(name, {}), **fields} if isinstance(fields, dict) else fields
        (folder / "run.yaml").write_text(yaml.safe_dump(data))
        return folder / "run.yaml"

    return write
