"""Runs of the whole chain."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

PLUGIN = Path(__file__).with_name("vowels_plugin.py")
STEPS = 3
PROMPTS_PER_STEP, GROUP = 4, 4
HANG_S = 420


@dataclass(frozen=True)
class Run:
    folder: Path
    output: str


def write_config(folder: Path, **runtime: object) -> Path:
    """The quickstart's configuration, small, with a plugin of our own."""
    from guerdon_trainer.quickstart.demo import CONFIG, prepare

    prepare(folder, train=64, evaluate=8, test=8)
    config = yaml.safe_load(CONFIG.read_text())
    config["algorithm"]["group_size"] = GROUP
    config["runtime"] |= {
        "per_device_batch_size": 8,
        "gradient_accumulation_steps": 2,
        "steps": STEPS,
        "checkpoint_interval": 1,
        "eval_interval": STEPS,
        "output_dir": str(folder / "runs"),
    } | runtime
    config["plugins"] = [str(PLUGIN)]
    config["rewards"]["vowels"] = {"use": "vowels", "weight": 0.05}
    path = folder / "chain.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


def command(config: Path) -> list[str]:
    return [sys.executable, "-m", "guerdon", "train", str(config)]


def environment() -> dict[str, str]:
    return os.environ | {"COLUMNS": "160", "RAY_USAGE_STATS_ENABLED": "0", "HF_HUB_OFFLINE": "1"}


def train(config: Path) -> Run:
    done = subprocess.run(
        command(config), capture_output=True, text=True, env=environment(), timeout=HANG_S, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return Run(config.parent / "runs" / "demo", done.stdout)
