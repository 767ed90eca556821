"""All records of a run: Parquet part files, read through Arrow and DuckDB."""

from guerdon.ledger.batch import LedgerBatch, Source, source_of, sources_of
from guerdon.ledger.compare import equal
from guerdon.ledger.parts import last_attempt
from guerdon.ledger.reader import Ledger
from guerdon.ledger.schema import SCHEMA_VERSION, Phase, Sampling
from guerdon.ledger.verify import verify
from guerdon.ledger.writer import LedgerWriter

__all__ = [
    "SCHEMA_VERSION",
    "Ledger",
    "LedgerBatch",
    "LedgerWriter",
    "Phase",
    "Sampling",
    "Source",
    "equal",
    "last_attempt",
    "source_of",
    "sources_of",
    "verify",
]
