"""Our fields become SkyRL's, every one that SkyRL knows, and a `skyrl:` section cannot undo them."""

from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import guerdon_trainer.skyrl
from guerdon import ConfigError
from guerdon_trainer.folder import RunFolder
from guerdon_trainer.skyrl_settings import CLUSTER_DEFAULTS, CONSTANT, LOCAL, MAPPING, explain, to_skyrl

assert guerdon_trainer.skyrl

from skyrl.train.config import SkyRLTrainConfig  # noqa: E402
from skyrl.train.utils import validate_cfg  # noqa: E402

LAYOUTS: dict[str, dict[str, dict[str, Any]]] = {
    "local": {"runtime": {"mixed_precision": "no"}},
    "local, two ranks": {"runtime": {"gpus_per_node": 2}, "algorithm": {"kl_coefficient": 0.01}},
    "cluster": {"runtime": {"backend": "cluster", "gpus_per_node": 8}, "algorithm": {"kl_coefficient": 0.02}},
    "cluster, apart": {"runtime": {"backend": "cluster", "nodes": 2, "gpus_per_node": 4, "colocate": False}},
    "evaluated": {"data": {"eval_manifest": "eval.jsonl"}, "adapter": {"exclude_modules": r"visual\.(\d+)"}},
    "unusual": {"adapter": {"exclude_modules": None}, "algorithm": {"temperature": 0.7, "learning_rate": 1e-6}},
}


def value_at(cfg: Any, path: str) -> Any:
    for part in path.split("."):
        cfg = cfg[part] if isinstance(cfg, dict) else getattr(cfg, part)
    return cfg


def plain(value: Any) -> Any:
    return {f.name: plain(getattr(value, f.name)) for f in fields(value)} if is_dataclass(value) else value


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_setting_exists_in_skyrl_and_arrives_as_it_was(layout, run_config, tmp_path):
    settings = to_skyrl(run_config(**LAYOUTS[layout]), RunFolder(tmp_path))
    cfg = SkyRLTrainConfig.from_cli_overrides(settings)
    for path, value in settings.items():
        found = plain(value_at(cfg, path))
        if isinstance(value, dict):
            found = {name: found[name] for name in value}
        assert (list(found) if isinstance(found, tuple) else found) == value, path


@pytest.mark.parametrize("layout", LAYOUTS)
def test_skyrl_accepts_what_it_is_given(layout, run_config, tmp_path):
    cfg = SkyRLTrainConfig.from_cli_overrides(to_skyrl(run_config(**LAYOUTS[layout]), RunFolder(tmp_path)))
    validate_cfg(cfg)
    assert cfg.trainer.algorithm.use_kl_loss is ("kl_coefficient" in LAYOUTS[layout].get("algorithm", {}))


def test_the_batch_is_handed_over_in_prompts(run_config, tmp_path):
    runtime = {"per_device_batch_size": 2, "gradient_accumulation_steps": 4, "prompts_per_step": 6}
    settings = to_skyrl(run_config(runtime=runtime), RunFolder(tmp_path))
    assert settings["trainer.policy_mini_batch_size"] == 2 * 4 // 4
    assert settings["trainer.train_batch_size"] == 6
    assert settings["trainer.micro_train_batch_size_per_gpu"] == 2
    assert settings["generator.n_samples_per_prompt"] == 4


def test_local_ranks_are_nodes_and_cluster_ranks_are_devices(run_config, tmp_path):
    names = ("trainer.placement.policy_num_nodes", "trainer.placement.policy_num_gpus_per_node")
    local = to_skyrl(run_config(runtime={"gpus_per_node": 2}), RunFolder(tmp_path))
    assert [local[name] for name in names] == [2, 1]
    assert local["trainer.placement.colocate_all"] is False
    cluster = to_skyrl(run_config(runtime={"backend": "cluster", "nodes": 2, "gpus_per_node": 4}), RunFolder(tmp_path))
    assert [cluster[name] for name in names] == [2, 4]
    assert cluster["trainer.placement.colocate_all"] is True
    assert cluster["generator.inference_engine.num_engines"] == 8


def test_paths_lie_in_the_run_folder(run_config, tmp_path):
    settings = to_skyrl(run_config(), RunFolder(tmp_path))
    paths = ("ckpt_path", "export_path", "log_path", "policy.model.lora.lora_sync_path")
    assert all(settings[f"trainer.{name}"].startswith(str(tmp_path)) for name in paths)


def test_each_backend_has_its_own_suggestions_which_the_section_may_override(run_config, tmp_path):
    configs = [run_config(runtime={"backend": name}) for name in ("local", "cluster")]
    local, cluster = (to_skyrl(config, RunFolder(tmp_path)) for config in configs)
    assert LOCAL.items() <= local.items()
    assert not CLUSTER_DEFAULTS.keys() & local.keys()
    assert CLUSTER_DEFAULTS.items() <= cluster.items()
    name = "generator.inference_engine.gpu_memory_utilization"
    chosen = to_skyrl(run_config(runtime={"backend": "cluster"}, skyrl={name: 0.8}), RunFolder(tmp_path))
    assert chosen[name] == 0.8


def test_further_settings_pass_through(run_config, tmp_path):
    config = run_config(skyrl={"trainer.policy.optimizer_config.weight_decay": 0.25})
    cfg = SkyRLTrainConfig.from_cli_overrides(to_skyrl(config, RunFolder(tmp_path)))
    assert cfg.trainer.policy.optimizer_config.weight_decay == 0.25


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        *((name, f"set {target.field} instead") for target in MAPPING for name in target.settings),
        *((name, "guerdon relies on its value; remove it") for name in CONSTANT),
        ("trainer.ckpt_path", "guerdon relies on its value; remove it"),
        ("trainer.policy.fsdp_config.mixed_precision.param_dtype", "set runtime.mixed_precision instead"),
        ("trainer", "is a section that guerdon sets parts of"),
        ("trainer.policy.model.lora", "write single settings by dotted path"),
    ],
)
def test_what_a_field_of_ours_sets_is_refused_with_the_remedy(name, remedy, run_config, tmp_path):
    with pytest.raises(ConfigError) as caught:
        to_skyrl(run_config(skyrl={name: None}), RunFolder(tmp_path))
    assert str(caught.value).startswith(f"skyrl.{name} ")
    assert remedy in str(caught.value)


def test_no_setting_has_two_sources():
    ours = [name for target in MAPPING for name in target.settings]
    assert len(ours) == len(set(ours))
    assert not set(ours) & (CONSTANT.keys() | LOCAL.keys() | CLUSTER_DEFAULTS.keys())


def test_explain_names_each_field_by_its_path(run_config):
    config = run_config()
    told = explain(config)
    for field in told:
        assert value_at(config, field) is not None or field in ("runtime.prompts_per_step", "data.eval_manifest")
    assert told["algorithm.kl_coefficient"] == "trainer.algorithm.kl_loss_coef=0.0, trainer.algorithm.use_kl_loss=False"
    assert told["runtime.prompts_per_step"] == "trainer.train_batch_size=2"
