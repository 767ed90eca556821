"""Looking at data and rewards before anything is trained. No model is needed here."""

from guerdon.preflight.components import component_rows
from guerdon.preflight.data import Split, read_split, split_row
from guerdon.preflight.pictures import duplicate_row, look_at_pictures, picture_row
from guerdon.preflight.result import Preflight, Row

__all__ = [
    "Preflight",
    "Row",
    "Split",
    "component_rows",
    "duplicate_row",
    "look_at_pictures",
    "picture_row",
    "read_split",
    "split_row",
]
