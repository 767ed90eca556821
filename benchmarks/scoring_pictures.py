"""What pictures cost on the way to workers: by reference, and pickled."""

import io
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.runner import Target, alternate, at_most
from benchmarks.scoring_work import Trivial, groups
from guerdon import Group, LazyImage
from guerdon.scoring.engine import Engine


def jpeg(seed: int) -> bytes:
    """Return a 448 by 448 JPEG of about 64 KB."""
    noise = np.random.default_rng(seed).integers(0, 256, (56, 56, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).resize((448, 448), Image.Resampling.BICUBIC).save(buffer, "JPEG", quality=92)
    return buffer.getvalue()


def pictures() -> Target:
    """Score 1,024 samples with a picture each: files by reference against bytes, over none at all."""
    encoded = [jpeg(seed) for seed in range(16)]
    with tempfile.TemporaryDirectory() as folder, Engine({"r": Trivial(word="box")}) as engine:
        files = []
        for number, data in enumerate(encoded):
            (Path(folder) / f"{number}.jpg").write_bytes(data)
            files.append(LazyImage(f"{folder}/{number}.jpg"))
        without = [Group(g.id, [replace(s, images=()) for s in g.samples]) for g in groups()]
        by_file = [Group(g.id, [replace(s, images=(files[hash(s.id) % 16],)) for s in g.samples]) for g in groups()]
        pickled = [
            Group(
                g.id,
                [replace(s, images=(), metadata={"jpeg": bytearray(encoded[i % 16])}) for i, s in enumerate(g.samples)],
            )
            for g in groups()
        ]
        rounds = alternate(
            {
                "without": lambda: _score(engine, without),
                "files": lambda: _score(engine, by_file),
                "pickled": lambda: _score(engine, pickled),
            },
            9,
        )
    ours = [max(0.01, ms) for ms in rounds.each(lambda t: (t["files"] - t["without"]) * 1e3)]
    peer = rounds.each(lambda t: (t["pickled"] - t["without"]) * 1e3)
    return at_most("1,024 pictures of 448x448 to workers, ms over none (pickled)", 0.1, ours, peer)


def _score(engine: Engine, batch: list[Group]) -> None:
    engine.score(batch)
