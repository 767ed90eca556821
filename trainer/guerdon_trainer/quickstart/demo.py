"""The quickstart: data, model and configuration in one folder, ready to train."""

import shutil
from pathlib import Path

from guerdon_trainer.quickstart.checkpoint import checkpoint_path
from guerdon_trainer.quickstart.data import write_manifests

CONFIG = Path(__file__).with_name("demo.yaml")
HACKED = Path(__file__).with_name("hacked.yaml")
"""Pays form and brevity, and only watches the outcome: a planted hack for reports and audits."""


def prepare(
    folder: Path, *, seed: int = 0, train: int = 400, evaluate: int = 128, test: int = 128, source: Path = CONFIG
) -> Path:
    """Write pictures, manifests, model and configuration below `folder`.

    Args:
        folder: made if it is missing.
        seed: which pictures and questions are drawn.
        train: prompts to train on.
        evaluate: held-out prompts.
        test: prompts that nothing is chosen by.
        source: the configuration.

    Returns:
        The path of the configuration.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_manifests(folder / "data", seed=seed, train=train, eval=evaluate, test=test)
    model = folder / "model"
    if not model.exists():
        staged = folder / "model.tmp"
        shutil.rmtree(staged, ignore_errors=True)
        shutil.copytree(checkpoint_path(), staged)
        staged.rename(model)
    config = folder / source.name
    shutil.copyfile(source, config)
    return config
