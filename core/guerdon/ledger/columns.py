"""Arrow arrays from Python values, whatever these are."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pydantic_core import to_json as encode

from guerdon.ledger.text import MAX_JSON, MAX_TEXT, as_text, optional_json

type Codes = npt.NDArray[np.int32]


def constant(value: str, rows: int) -> pa.Array:
    """Return one text for all rows."""
    return coded(np.zeros(rows, dtype=np.int32), [value])


def coded(codes: npt.NDArray[np.integer], values: Sequence[str]) -> pa.Array:
    """Return ``values[code]`` for each row, null for a code below 0; each value is stored once."""
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32(), mask=codes < 0), texts(values))


def texts(values: Sequence[str | None], limit: int = MAX_TEXT) -> pa.Array:
    """Return a text column; too long ones are cut, and what UTF-8 cannot hold is replaced."""
    try:
        array = pa.array(values, pa.string())
    except (TypeError, UnicodeEncodeError, pa.ArrowInvalid, pa.ArrowTypeError):
        array = None
    if array is None or _longest(array) > limit:
        return pa.array([None if value is None else as_text(value, limit) for value in values], pa.string())
    return array


def json_texts(values: Sequence[object]) -> pa.Array:
    """Return a column of JSON, null for what is empty; see `optional_json` for what JSON cannot hold."""
    try:
        array = pa.array([encode(value, inf_nan_mode="strings") if value else None for value in values], pa.string())
    except Exception:  # noqa: BLE001 - a foreign value may raise anything; then each is taken by itself
        array = None
    if array is None or _longest(array) > MAX_JSON:
        return pa.array([optional_json(value) for value in values], pa.string())
    return array


def _longest(array: pa.Array) -> int:
    """Return the length of the longest text in bytes, which is no less than in characters."""
    longest: int | None = pc.max(pc.binary_length(array)).as_py()
    return longest or 0


def numbers(values: Sequence[object] | npt.NDArray[np.float64] | None, rows: int) -> pa.Array:
    """Return a column of floats; None, NaN and what is no number become null."""
    if values is None:
        return pa.nulls(rows, pa.float64())
    try:
        floats = np.asarray(values, dtype=np.float64)  # None becomes NaN
    except (TypeError, ValueError):
        floats = np.array([_number(value) for value in values])
    return pa.array(floats, pa.float64(), from_pandas=True)


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]  # that is what is found out here
    except (TypeError, ValueError):
        return math.nan


def integers(values: Iterable[int | None]) -> pa.Array:
    """Return a column of 32-bit integers; None becomes null."""
    return pa.array(list(values), pa.int32())


def shared[T](objects: Sequence[T], encode: Callable[[T], str | None]) -> pa.Array:
    """Encode each object once, though many rows refer to it: the samples of a group share their prompt."""
    by_identity: dict[int, int] = {}
    by_text: dict[str, int] = {}
    codes = np.empty(len(objects), dtype=np.int32)
    for row, item in enumerate(objects):
        if (code := by_identity.get(id(item))) is None:
            text = encode(item)
            code = by_identity[id(item)] = -1 if text is None else by_text.setdefault(text, len(by_text))
        codes[row] = code
    return coded(codes, list(by_text))
