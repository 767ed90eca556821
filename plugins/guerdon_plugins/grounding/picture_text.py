"""Reading the text in a picture with the optional package ``rapidocr``."""

from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from guerdon import ConfigError, LazyImage

MIN_CONFIDENCE = 0.5
"""Lines that the reader is less sure of are left out."""


def require_reader() -> None:
    """Check that the reader is installed.

    Raises:
        ConfigError: it is not; the message has the command.
    """
    if find_spec("rapidocr") is None or find_spec("onnxruntime") is None:
        raise ConfigError("texts_from: picture reads pictures with rapidocr; install it: pip install 'guerdon[ocr]'")


@lru_cache(maxsize=1)
def _reader() -> Any:
    import logging

    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return RapidOCR(
        params={"EngineConfig.onnxruntime.intra_op_num_threads": 1, "EngineConfig.onnxruntime.inter_op_num_threads": 1}
    )


@lru_cache(maxsize=1024)
def texts_in(image: LazyImage) -> tuple[str, ...]:
    """Return the lines of text in the picture. Remembered by the picture's source: a group shares it.

    Raises:
        DataError: the picture cannot be read.
    """
    result = _reader()(np.asarray(image.open())[..., ::-1])
    lines = zip(result.txts or (), result.scores or (), strict=True)
    return tuple(text for text, confidence in lines if confidence >= MIN_CONFIDENCE and text.strip())
