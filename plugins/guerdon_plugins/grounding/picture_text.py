"""Reading the text in a picture with the optional package ``rapidocr``."""

from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from guerdon import ConfigError, LazyImage

MIN_CONFIDENCE = 0.5
"""Lines that the reader is less sure of are left out."""

MAX_SIDE = 736
"""Pixels of the longer side at which text is looked for."""


def require_reader() -> None:
    """Check that the reader is installed.

    Raises:
        ConfigError: it is not; the message has the command.
    """
    if find_spec("rapidocr") is None or find_spec("onnxruntime") is None:
        raise ConfigError("texts_from: picture reads pictures with rapidocr; install it: pip install 'guerdon[ocr]'")


@lru_cache(maxsize=1)
def load_reader() -> Any:
    """Load the models, once a process."""
    from rapidocr import RapidOCR

    threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "Det.limit_type": "max",
            "Det.limit_side_len": MAX_SIDE,
            **threads,
        }
    )


@lru_cache(maxsize=1024)
def texts_in(image: LazyImage) -> tuple[str, ...]:
    """Return the lines of text in the picture. Remembered by the picture's source: a group shares it.

    Raises:
        DataError: the picture cannot be read.
    """
    result = load_reader()(np.asarray(image.open())[..., ::-1])
    lines = zip(result.txts or (), result.scores or (), strict=True)
    return tuple(text for text, confidence in lines if confidence >= MIN_CONFIDENCE and text.strip())
