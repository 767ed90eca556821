"""What the ledger takes of a step: Arrow tables and Parquet bytes of 1,024 samples by six components."""

import time
from collections.abc import Mapping

from benchmarks.runner import Target, at_most
from benchmarks.scoring_work import WORDS, Told, groups
from guerdon import Reward
from guerdon.advantage import AdvantageConfig, compute_advantages, matrix_from
from guerdon.ledger import LedgerBatch
from guerdon.ledger.batch import Source
from guerdon.ledger.rule import dump_rule, rule_of
from guerdon.ledger.tables import Origin, records_table
from guerdon.ledger.writer import encode
from guerdon.scoring.engine import Engine

LIMIT_MS = 15.0


def parquet() -> Target:
    """Write a step's records, with reasons and evidence, in memory."""
    rewards: Mapping[str, Reward] = {word: Told(word=word, isolation="inline") for word in (*WORDS, "many")}
    sources = {name: Source("benchmarks:told", "1", "c" * 64, name * 8) for name in rewards}
    with Engine(rewards) as engine:
        scored = engine.score(groups())
    matrix, rule = matrix_from(scored, rewards, step=1, outcome="answer"), AdvantageConfig()
    batch = LedgerBatch("train", 1, 0, scored, matrix, rule, compute_advantages(matrix, rule))
    for group in scored:
        list(group.records)  # made by the step before
    took: list[float] = []
    for _ in range(20):
        before = time.process_time()
        encode(records_table(batch, sources, Origin("benchmark", 1)), dump_rule(rule_of(batch)))
        took.append((time.process_time() - before) * 1e3)
    return at_most("Arrow and Parquet of 1,024 samples x 6, ms of CPU (15)", 1.0, took, [LIMIT_MS] * len(took))
