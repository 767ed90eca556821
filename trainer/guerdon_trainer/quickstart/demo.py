"""The quickstart: data, model and configuration in one folder, ready to train."""

import shutil
from pathlib import Path

from guerdon_trainer.quickstart.checkpoint import checkpoint_path
from guerdon_trainer.quickstart.data import write_manifests

CONFIG = Path(__file__).with_name("demo.yaml")
TRAIN, EVAL, TEST = 400, 128, 128
"""Prompts of each split."""


def prepare(folder: Path, *, seed: int = 0) -> Path:
    """Write pictures, manifests, model and configuration below `folder`; return the configuration's path."""
    folder.mkdir(parents=True, exist_ok=True)
    write_manifests(folder / "data", seed=seed, train=TRAIN, eval=EVAL, test=TEST)
    model = folder / "model"
    if not model.exists():
        staged = folder / "model.tmp"
        shutil.rmtree(staged, ignore_errors=True)
        shutil.copytree(checkpoint_path(), staged)
        staged.rename(model)
    config = folder / "demo.yaml"
    shutil.copyfile(CONFIG, config)
    return config
