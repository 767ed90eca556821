"""The token ids that count.

Characters or words in place of tokens punish one language more than another
(modelscope/ms-swift#3353); padding and whatever follows the end token do not count
(verl-project/verl#3805), and turns are counted together (modelscope/ms-swift#10149).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guerdon import DataError, Sample

type Ids = NDArray[np.int64]


def token_ids(sample: Sample) -> Ids | None:
    """Return the ids of all turns, each up to and including its first end token, without padding.

    They come from the sample, else from ``token_ids`` in its metadata (a list of ids, or one list
    for each turn). The metadata's ``eos_token_id`` and ``pad_token_id`` (one id or several) say
    what ends a turn and what is padding. None where nobody handed ids over.

    Raises:
        DataError: they are no ids.
    """
    given = sample.completion_tokens if len(sample.completion_tokens) else sample.metadata.get("token_ids")
    if given is None:
        return None
    ends, padding = (_ids(sample, sample.metadata.get(key), key) for key in ("eos_token_id", "pad_token_id"))
    turns = [_ids(sample, turn, "token_ids") for turn in _turns(given)]
    kept = [_real(turn, ends, padding) for turn in turns] if ends.size or padding.size else turns
    return kept[0] if len(kept) == 1 else np.concatenate(kept)


def count_tokens(sample: Sample) -> int:
    """Return the number of tokens.

    Raises:
        DataError: neither ids nor a count are known, although there is text. Counting something
            else instead would be another penalty than the configured one.
    """
    marked = {"eos_token_id", "pad_token_id"} & sample.metadata.keys()
    if len(sample.completion_tokens) and not marked:
        return len(sample.completion_tokens)
    ids = token_ids(sample)
    if ids is not None:
        return int(ids.size)
    count = sample.token_count if sample.token_count is not None else sample.metadata.get("token_count")
    if count is None and not sample.completion:
        return 0
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
        raise DataError(
            f"sample {sample.id}: the length in tokens is unknown (token_count is {count!r}); hand over"
            " completion_tokens or token_count, or configure `unit: words`"
        )
    return int(count)


def _turns(given: Any) -> Sequence[Any]:
    """Return a list for each turn, whether the ids came as one list or as several."""
    if isinstance(given, np.ndarray):
        return list(given) if given.ndim == 2 else [given]
    several = isinstance(given, list | tuple) and len(given) and isinstance(given[0], list | tuple | np.ndarray)
    return given if several else [given]


def _ids(sample: Sample, given: Any, key: str) -> Ids:
    if given is None:
        return np.empty(0, np.int64)
    try:
        ids = np.atleast_1d(np.asarray(given))
    except (ValueError, OverflowError, TypeError) as error:
        raise DataError(f"sample {sample.id}: {key} must hold whole numbers: {error}") from error
    if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
        raise DataError(
            f"sample {sample.id}: {key} must hold whole numbers; found {type(given).__name__} of {ids.dtype}"
        )
    return ids.astype(np.int64)


def _real(turn: Ids, ends: Ids, padding: Ids) -> Ids:
    """Cut a turn after its first end token and drop the padding, which may be the same token."""
    is_end = np.isin(turn, ends)
    stop = int(is_end.argmax()) if is_end.any() else -1
    keep = ~np.isin(turn, padding)
    if stop >= 0:
        keep[stop] = True
        keep[stop + 1 :] = False
    return turn[keep]
