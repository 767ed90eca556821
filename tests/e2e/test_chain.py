"""The chain from YAML to ledger and adapter, for real: Ray, SkyRL, pictures, five rewards and one of our own."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.e2e.chain import GROUP, HANG_S, PROMPTS_PER_STEP, STEPS, command, environment, train, write_config

from guerdon.ledger import Ledger, equal, verify

pytestmark = pytest.mark.slow

COMPONENTS = ["answer", "boxes", "shape", "brief", "safe", "vowels"]
TIMINGS = ("time/", "rollout/", "train/", "skyrl/")


def test_every_component_of_every_sample_has_a_row(finished):
    ledger = Ledger(finished.folder / "ledger")
    rows = ledger.sql("select count(*) n from records where phase = 'train'").to_pylist()[0]["n"]
    assert rows == STEPS * PROMPTS_PER_STEP * GROUP * len(COMPONENTS)
    assert verify(ledger, steps=range(1, STEPS + 1), groups=PROMPTS_PER_STEP, group_size=GROUP) == []


def test_recomputed_advantages_are_those_of_the_ledger(finished):
    ledger = Ledger(finished.folder / "ledger")
    for step in range(1, STEPS + 1):
        stored = ledger.samples(phase="train", steps=[step])
        again = ledger.recompute(step)
        assert stored["advantage"].to_pylist() == again.advantages.tolist()
        assert any(stored["advantage"].to_pylist())


def test_a_plugin_from_a_file_is_in_ledger_and_table(finished):
    ledger = Ledger(finished.folder / "ledger")
    rows = ledger.sql("select distinct plugin, plugin_version, status from records where component = 'vowels'")
    (row,) = rows.to_pylist()
    assert row["plugin"].endswith("vowels_plugin.py:vowels")
    assert row["plugin_version"].startswith("file@")
    assert row["status"] == "ok"
    assert "vowels" in finished.output


def test_all_modalities_are_trained_on(finished):
    ledger = Ledger(finished.folder / "ledger")
    found = ledger.sql("select distinct least(len(images), 2) n from samples where phase = 'train'").to_pylist()
    assert {row["n"] for row in found} >= {0, 1}


def test_rollout_and_trainer_agree_on_log_probabilities(finished):
    steps = Ledger(finished.folder / "ledger").sql("select value from steps where metric = 'logprob_gap'").to_pylist()
    assert len(steps) == STEPS
    assert all(0 <= row["value"] < 1e-4 for row in steps)


def test_no_vision_token_is_ever_sampled(finished):
    ledger = Ledger(finished.folder / "ledger")
    bad = ledger.sql("select count(*) n from samples where completion like '%<|image_pad|>%'").to_pylist()[0]["n"]
    assert bad == 0


def test_the_metrics_of_a_step(finished):
    rows = Ledger(finished.folder / "ledger").sql("select metric, value from steps where step = 1").to_pylist()
    metrics = {row["metric"]: row["value"] for row in rows}
    expected = {"loss", "kl", "entropy", "clip_fraction", "gradient_norm", "logprob_gap", "learning_rate"}
    expected |= {"rollout/length_mean", "rollout/truncated", "rollout/tokens_per_second", "rollout/wait_for_rewards_s"}
    expected |= {f"component/{name}/{what}" for name in COMPONENTS for what in ("mean", "spread", "ok", "error")}
    assert expected <= metrics.keys()
    assert metrics["gradient_norm"] > 0
    scoring = metrics["rollout/wait_for_rewards_s"] + metrics["time/compute_advantages_and_returns"]
    assert scoring < 0.5 * metrics["time/step"]


def test_the_adapter_has_an_effect_and_names_its_base(finished):
    from guerdon.config import build_config
    from guerdon_trainer.adapter import check_adapter

    record = json.loads((finished.folder / "run.json").read_text())
    config, _ = build_config(record["config"])
    facts = check_adapter(finished.folder / "adapter", config, trained=True)
    assert facts.tensors == 2 * 3 * 7  # A and B, three layers, seven modules
    assert facts.b_norm > 0


def test_a_killed_run_resumes_and_ends_the_same(finished, tmp_path):
    config = write_config(tmp_path)
    running = subprocess.Popen(
        command(config), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    folder = tmp_path / "runs" / "demo"
    _wait_for(lambda: list((folder / "ledger" / "records").glob("train-*-00000002-*")), running)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    resumed = train(config)
    assert json.loads((folder / "run.json").read_text())["attempt"] == 2
    ours, theirs = Ledger(finished.folder / "ledger"), Ledger(resumed.folder / "ledger")
    assert equal(ours, theirs, timings=TIMINGS) is None
    assert verify(theirs, steps=range(1, STEPS + 1), groups=PROMPTS_PER_STEP, group_size=GROUP) == []


def test_the_saved_adapter_answers_as_the_policy_did(finished, tmp_path):
    config = finished.folder.parent.parent / "chain.yaml"
    adapter = ["--adapter", str(finished.folder / "adapter")]
    overrides = ["run.name=again", f"runtime.output_dir={tmp_path}"]
    done = subprocess.run(
        [sys.executable, "-m", "guerdon", "evaluate", str(config), *overrides, *adapter],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    query = "select sample_id, completion from samples where phase = 'eval' and sampling = 'greedy' and step = {}"
    trained = Ledger(finished.folder / "ledger").sql(query.format(STEPS)).to_pylist()
    again = Ledger(tmp_path / "again" / "ledger").sql(query.format(0)).to_pylist()
    assert {row["sample_id"]: row["completion"] for row in again} == {
        row["sample_id"]: row["completion"] for row in trained
    }
    assert len(again) == 8


def test_another_configuration_may_not_resume(finished):
    config = finished.folder.parent.parent / "chain.yaml"
    refused = subprocess.run(
        [*command(config), "algorithm.learning_rate=0.5"],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=HANG_S,
        check=False,
    )
    assert refused.returncode == 2
    assert "algorithm.learning_rate: 0.001 -> 0.5" in refused.stderr


def _wait_for(condition, process) -> None:
    for _ in range(HANG_S * 10):
        if condition():
            return
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.1)
    process.kill()
    raise AssertionError("nothing happened")
