"""What is checked before anything is started, and when nothing is left to do."""

import json
from types import SimpleNamespace

import pytest
import torch
from loguru import logger
from safetensors.torch import save_file

from guerdon import ConfigError, DataError, RunError
from guerdon.config import build_config, dump_config
from guerdon_trainer import launch
from guerdon_trainer.checkpoint import MARKER
from guerdon_trainer.folder import RunFolder


@pytest.fixture
def launcher(run_config, tmp_path, monkeypatch):
    """Launch with manifests of `count` prompts; the run itself is recorded in place of Ray and SkyRL."""
    started = []
    monkeypatch.setattr(launch, "_run", lambda *parts: started.append(parts))

    def launch_it(count=8, words=3, **sections):
        for name in ("train", "eval"):
            rows = [
                {"id": f"{name}{i}", "messages": [{"role": "user", "content": "word " * words}]} for i in range(count)
            ]
            (tmp_path / f"{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
        data = {"train_manifest": str(tmp_path / "train.jsonl"), "eval_manifest": str(tmp_path / "eval.jsonl")}
        inline = {"answer": {"use": "correctness", "kind": "exact", "isolation": "inline"}}
        sections = {"data": data, "rewards": inline} | sections
        config, plugins = build_config(dump_config(run_config(**sections)))
        return launch.train(config, plugins), started

    return launch_it


def checkpoint(folder: RunFolder, step: int) -> None:
    """What SkyRL leaves after a step."""
    adapter = folder.checkpoints / f"global_step_{step}" / "policy" / "lora_adapter"
    adapter.mkdir(parents=True)
    tensors = {}
    for module in ("q_proj", "k_proj", "v_proj", "o_proj"):
        tensors[f"layers.0.self_attn.{module}.lora_A.weight"] = torch.ones(8, 4)
        tensors[f"layers.0.self_attn.{module}.lora_B.weight"] = torch.ones(4, 8)
    save_file(tensors, adapter / "adapter_model.safetensors")
    (adapter / "adapter_config.json").write_text("{}")
    (folder.checkpoints / MARKER).write_text(str(step))


def test_a_run_gets_its_parts_and_ends_with_the_adapter(launcher, tmp_path, monkeypatch):
    folder = RunFolder(tmp_path / "runs" / "t")
    monkeypatch.setattr(launch, "_run", lambda *_: checkpoint(folder, 4))
    assert launcher()[0] == folder
    assert (folder.adapter / "adapter_model.safetensors").is_file()
    assert (folder.logs / "trainer.log").is_file()
    assert folder.tensorboard.is_dir()


def test_the_parts_are_those_of_the_configuration(launcher, tmp_path, monkeypatch):
    folder, seen = RunFolder(tmp_path / "runs" / "t"), []

    def run(*parts):
        seen.append(parts)
        checkpoint(folder, 4)

    monkeypatch.setattr(launch, "_run", run)
    launcher(count=5)
    ((config, plugins, given, engine, recorder, metrics, prompts, held_out),) = seen
    assert given == folder
    assert [prompt.id for prompt in prompts] == [f"train{i}" for i in range(5)]
    assert [prompt.id for prompt in held_out] == [f"eval{i}" for i in range(5)]
    assert list(engine.rewards) == list(config.rewards) == ["answer"]
    assert "correctness" in plugins.rewards
    assert [type(sink).__name__ for sink in metrics.sinks] == ["Recorder", "TensorBoard"]
    assert metrics.sinks[0] is recorder


def test_a_resumed_run_goes_on_from_its_checkpoint(launcher, tmp_path, monkeypatch):
    folder, seen = RunFolder(tmp_path / "runs" / "t"), []
    checkpoint(folder, 2)
    monkeypatch.setattr(launch, "TensorBoard", lambda path, from_step: seen.append((path, from_step)))
    monkeypatch.setattr(launch, "_run", lambda *_: checkpoint(folder, 4))
    launcher()
    assert seen == [(folder.tensorboard, 2)]


def test_a_finished_run_starts_nothing(launcher, tmp_path):
    folder = RunFolder(tmp_path / "runs" / "t")
    checkpoint(folder, 4)
    assert launcher() == (folder, [])
    assert (folder.adapter / "adapter_config.json").is_file()


def test_a_run_that_is_further_than_it_should_go(launcher, tmp_path):
    checkpoint(RunFolder(tmp_path / "runs" / "t"), 5)
    with pytest.raises(RunError, match=r"has been trained to step 5; runtime\.steps 4 lies before it\. Set it higher"):
        launcher()


def test_too_few_prompts(launcher, tmp_path):
    with pytest.raises(RunError, match=r"train\.jsonl holds 1 prompts; a step needs 2 \(runtime\.prompts_per_step\)"):
        launcher(count=1)
    assert not (tmp_path / "runs").exists()


def test_prompts_that_are_too_long_are_refused_before_a_folder_is_made(launcher, tmp_path):
    with pytest.raises(DataError) as caught:
        launcher(words=60, algorithm={"group_size": 4, "max_prompt_tokens": 20})
    assert str(caught.value).startswith(
        f"{tmp_path / 'train.jsonl'}: 8 of 8 prompts are longer than algorithm.max_prompt_tokens 20; the longest is "
        "'train0' with "
    )
    assert not (tmp_path / "runs").exists()


def test_long_held_out_prompts_are_refused_too(launcher, tmp_path):
    long = tmp_path / "long.jsonl"
    long.write_text(json.dumps({"id": "far", "messages": [{"role": "user", "content": "word " * 500}]}))
    data = {"train_manifest": str(tmp_path / "train.jsonl"), "eval_manifest": str(long)}
    with pytest.raises(DataError, match=r"long\.jsonl: 1 of 1 prompts are longer .*'far'"):
        launcher(data=data, algorithm={"group_size": 4, "max_prompt_tokens": 100})


def test_a_rule_that_does_not_fit_the_rewards(launcher):
    with pytest.raises(ConfigError, match="every component has role: monitor"):
        launcher(rewards={"answer": {"use": "correctness", "role": "monitor"}})


def test_a_missing_manifest(launcher, tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        launcher(data={"train_manifest": str(tmp_path / "gone.jsonl"), "eval_manifest": None})


def test_skyrls_log_goes_to_a_file_while_the_run_lasts(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    folder = RunFolder(tmp_path)
    with launch.log_to(folder):
        logger.info("inside")
    logger.info("outside")
    assert "inside" in (folder.logs / "trainer.log").read_text()
    assert "outside" not in (folder.logs / "trainer.log").read_text()
    assert "inside" not in capsys.readouterr().err


@pytest.fixture
def evaluator(run_config, tmp_path, monkeypatch):
    """Evaluate two prompts; the rollout engine is recorded in place of Ray and SkyRL."""
    seen = []
    monkeypatch.setattr(launch, "_run", lambda *parts: seen.append(parts))
    manifest = tmp_path / "eval.jsonl"
    rows = [{"id": f"e{i}", "messages": [{"role": "user", "content": "word"}]} for i in range(2)]
    manifest.write_text("\n".join(json.dumps(row) for row in rows))

    def evaluate(adapter=None, **data):
        inline = {"answer": {"use": "correctness", "kind": "exact", "isolation": "inline"}}
        sections = {"data": {"train_manifest": "none.jsonl", "eval_manifest": str(manifest)} | data, "rewards": inline}
        config, plugins = build_config(dump_config(run_config(**sections)))
        return launch.evaluate(config, plugins, adapter), seen

    return evaluate


def test_an_evaluation_needs_no_training_data_and_hands_the_adapter_on(evaluator, tmp_path):
    folder, seen = evaluator(tmp_path / "adapter")
    *_, prompts, held_out, work = seen[0]
    assert (prompts, [prompt.id for prompt in held_out]) == ([], ["e0", "e1"])
    given = []
    work(SimpleNamespace(evaluate=given.append))
    assert given == [tmp_path / "adapter"]
    assert json.loads(folder.record.read_text())["attempt"] == 1


def test_an_evaluation_needs_held_out_prompts(evaluator):
    with pytest.raises(RunError, match=r"data\.eval_manifest is not set"):
        evaluator(eval_manifest=None)


def test_an_evaluation_does_not_write_into_a_trained_run(evaluator, tmp_path):
    checkpoint(RunFolder(tmp_path / "runs" / "t"), 4)
    with pytest.raises(RunError, match=r"holds a trained run; evaluate under another run\.name"):
        evaluator()
