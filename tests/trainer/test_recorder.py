"""From rollouts to the ledger: every component of every sample, and what was known of it."""

import math

import pytest

from guerdon import Group, Record, Sample, ScoredGroup, Status
from guerdon.advantage import compute_advantages, matrix_from
from guerdon.config import build_config, dump_config
from guerdon.ledger import Ledger
from guerdon.manifest import Prompt
from guerdon_trainer.folder import RunFolder
from guerdon_trainer.recorder import Recorder, SampleFacts
from guerdon_trainer.rollout import RolledGroup
from guerdon_trainer.sampling import Completion, Rendered
from guerdon_trainer.seeds import derive


@pytest.fixture
def recorder(run_config, tmp_path):
    config, plugins = build_config(dump_config(run_config()))
    made = Recorder(config, plugins, RunFolder(tmp_path), attempt=3)
    yield made
    made.close()


def rolled(name, *values):
    completions = [Completion([1, 2], [-0.5, -0.5], f"{name}{i}", finished=i != 1) for i in range(len(values))]
    samples = [Sample(f"{name}/{i}", c.text, group_id=name, index=i, step=2) for i, c in enumerate(completions)]
    records = [[Record(s.id, "answer", Status.OK, v)] for s, v in zip(samples, values, strict=True)]
    prompt = Prompt(name, [], {}, {}, ())
    return RolledGroup(prompt, Rendered([1]), completions, ScoredGroup(Group(name, samples), ("answer",), records))


def record(recorder, phase, groups, **more):
    config = recorder.config
    matrix = matrix_from([g.scored for g in groups], config.rewards, step=2, outcome="answer")
    recorder.record(phase, 2, groups, matrix, compute_advantages(matrix, config.algorithm), **more)


def test_a_step_is_on_disk_after_flush(recorder, tmp_path):
    facts = SampleFacts(rollout_logprobs=[-0.5] * 4, trainer_logprobs=[-0.25] * 4)
    record(recorder, "train", [rolled("p", 1.0, 0.0), rolled("q", 0.0, 0.0)], facts=facts)
    recorder.flush()
    ledger = Ledger(tmp_path / "ledger")
    rows = ledger.records(phase="train").to_pylist()
    assert {(row["sample_id"], row["component"], row["value"]) for row in rows} == {
        ("p/0", "answer", 1.0), ("p/1", "answer", 0.0), ("q/0", "answer", 0.0), ("q/1", "answer", 0.0),
    }  # fmt: skip
    samples = ledger.samples(phase="train").to_pylist()
    assert {row["attempt"] for row in samples} == {3}
    assert {row["run"] for row in samples} == {"t"}
    assert {row["epoch_seed"] for row in samples} == {derive(0, "train", 2)}
    assert [row["stop_reason"] for row in samples] == ["stop", "length", "stop", "length"]
    assert {row["rollout_logprob"] for row in samples} == {-0.5}
    assert {row["trainer_logprob"] for row in samples} == {-0.25}
    assert ledger.recompute(2).advantages.tolist() == [row["advantage"] for row in samples]


def test_evaluations_have_no_log_probabilities_and_their_own_rows(recorder, tmp_path):
    record(recorder, "train", [rolled("p", 1.0, 0.0)])
    record(recorder, "eval", [rolled("p", 1.0)], sampling="greedy")
    record(recorder, "eval", [rolled("p", 1.0, 0.0, 0.0)])
    recorder.flush()
    ledger = Ledger(tmp_path / "ledger")
    assert ledger.samples(phase="eval", sampling="greedy").num_rows == 1
    assert ledger.samples(phase="eval", sampling="sampled").num_rows == 3
    assert {row["rollout_logprob"] for row in ledger.samples(phase="eval").to_pylist()} == {None}


def test_metrics_of_a_step_are_written_too(recorder, tmp_path):
    recorder.log(1, {"loss": 0.5, "kl": 0.0})
    recorder.log(2, {"loss": 0.25})
    recorder.flush()
    rows = Ledger(tmp_path / "ledger").steps().to_pylist()
    assert {(row["step"], row["metric"], row["value"]) for row in rows} == {
        (1, "loss", 0.5), (1, "kl", 0.0), (2, "loss", 0.25),
    }  # fmt: skip
    assert all(math.isfinite(row["value"]) for row in rows)
