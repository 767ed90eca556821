"""From a file and overrides to a configuration, and back; and which fields make it this run."""

import json

import pytest
import yaml

from guerdon import ConfigError, PluginError
from guerdon.config import build_config, dump_config, identity, load_config
from guerdon.config.load import MAY_CHANGE_ON_RESUME


@pytest.fixture
def write(tmp_path, data):
    def write(text: str | None = None, **fields):
        path = tmp_path / "run.yaml"
        path.write_text(text if text is not None else yaml.safe_dump(data(**fields)), encoding="utf-8")
        return path

    return write


def test_dump_and_build_are_inverse(config):
    built = config(
        rewards__boxes__weight={"schedule": "step", "start": 1, "changes": {10: 0.5, 20: 0}},
        rewards__boxes__missing={"constant": -0.5},
        rewards__boxes__limits={"concurrency": 3},
        rewards__safety=None,
        adapter__target_modules=["q_proj"],
        skyrl={"trainer.policy.optimizer_config.weight_decay": 0.1},
    )
    dumped = json.loads(json.dumps(dump_config(built)))
    again, _ = build_config(dumped)
    assert again == built
    assert dump_config(again) == dump_config(built)
    assert identity(again) == identity(built)
    assert dumped["rewards"]["boxes"]["use"] == "grounding"


def test_relative_paths_are_taken_from_the_folder_of_the_file(write, tmp_path):
    (tmp_path / "weights").mkdir()
    (tmp_path / "mine.py").write_text("from guerdon import hookimpl\n@hookimpl\ndef register_rewards(register): ...\n")
    path = write(
        model__name_or_path="weights",
        plugins=["./mine.py"],
        data={"train_manifest": "data/train.jsonl", "eval_manifest": "s3://bucket/eval.jsonl"},
    )
    config, plugins = load_config(path)
    assert config.model.name_or_path == str(tmp_path / "weights")
    assert config.data.train_manifest == str(tmp_path / "data/train.jsonl")
    assert config.data.eval_manifest == "s3://bucket/eval.jsonl"
    assert plugins.files[0].path == str(tmp_path / "mine.py")


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("runtime.steps=7", ("runtime", "steps"), 7),
        ("algorithm.learning_rate=3e-6", ("algorithm", "learning_rate"), 3e-6),
        ("runtime.mixed_precision=no", ("runtime", "mixed_precision"), "no"),
        ("adapter.target_modules=[q_proj, v_proj]", ("adapter", "target_modules"), ("q_proj", "v_proj")),
        ("data.eval_manifest=/abs/eval.jsonl", ("data", "eval_manifest"), "/abs/eval.jsonl"),
        ("adapter.exclude_modules=null", ("adapter", "exclude_modules"), None),
    ],
)
def test_an_override_sets_one_field(override, path, value, write):
    config, _ = load_config(write(), [override])
    section, field = path
    assert getattr(getattr(config, section), field) == value


def test_overrides_reach_components_and_skyrl(write):
    changes = [
        "rewards.boxes.weight=0.25",
        "rewards.safety.weight=0.5",
        "rewards.brief={use: length, max_len: 9, cache_len: 3}",
        "skyrl.generator.inference_engine.gpu_memory_utilization=0.8",
    ]
    config, _ = load_config(write(rewards__safety=None), changes)
    assert config.rewards["boxes"].weight == 0.25
    assert config.rewards["safety"].weight == 0.5
    assert config.rewards["brief"].max_len == 9
    assert config.skyrl == {"generator.inference_engine.gpu_memory_utilization": 0.8}


def test_a_later_override_wins(write):
    assert load_config(write(), ["runtime.steps=7", "runtime.steps=8"])[0].runtime.steps == 8


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("runtime.steps", "override 'runtime.steps' must read section.field=value"),
        ("=3", "override '=3' must read section.field=value"),
        ("outcome.x=3", "override 'outcome.x=3': outcome is a value, not a section"),
        ("run.seed=[", "override 'run.seed=[' is no valid YAML"),
        ("runtime.stepz=3", "runtime.stepz: no such field"),
        ("rewards.boxes.foo=3", "rewards.boxes.foo: no such field"),
        ("runtime.steps=many", "runtime.steps: Input should be a valid integer"),
    ],
)
def test_a_wrong_override_is_named(override, said, write):
    with pytest.raises(ConfigError) as caught:
        load_config(write(), [override])
    assert said in str(caught.value)


@pytest.mark.parametrize("plugins", ["mine.py", [3], {"a": 1}])
def test_plugins_must_be_a_list_of_files(plugins, write):
    with pytest.raises(ConfigError, match="plugins must be a list of Python files; found"):
        load_config(write(plugins=plugins))


def test_a_missing_plugin_file_is_named(write, tmp_path):
    with pytest.raises(PluginError, match=str(tmp_path / "gone.py")):
        load_config(write(plugins=["gone.py"]))


def test_a_duplicate_component_names_file_and_lines(write):
    path = write("outcome: a\nrewards:\n  a: {use: safety}\n  a: {use: length}\n")
    with pytest.raises(ConfigError, match=r"run\.yaml: key 'a' stands twice, in lines 3 and 4"):
        load_config(path)


def test_errors_begin_with_the_file(write):
    path = write(outcome="x")
    with pytest.raises(ConfigError, match=f"^{path} is not valid:"):
        load_config(path)


def test_identity_changes_with_every_field_but_those_that_may_change(config):
    before = identity(config())
    free = {"steps": 9, "output_dir": "x", "checkpoint_interval": 9, "keep_checkpoints": 9, "eval_interval": 9}
    free["scoring_workers"] = 9
    spread = {"nodes", "gpus_per_node", "per_device_batch_size", "gradient_accumulation_steps"}
    assert {("runtime", name) for name in free.keys() | spread} == MAY_CHANGE_ON_RESUME
    for name, value in free.items():
        assert identity(config(**{f"runtime__{name}": value})) == before, name
    halves = {"runtime__per_device_batch_size": 2, "runtime__gradient_accumulation_steps": 8}
    assert identity(config(**halves)) == before, "the same batches, otherwise spread"
    assert identity(config(runtime__gradient_accumulation_steps=32)) != before, "another batch"
    bound = {
        "run__seed": 1,
        "model__name_or_path": "./other",
        "adapter__rank": 8,
        "algorithm__learning_rate": 2e-5,
        "runtime__prompts_per_step": 4,
        "runtime__eval_samples": 2,
        "data__train_manifest": "other.jsonl",
        "outcome": "boxes",
        "rewards__boxes__weight": 0.75,
        "rewards__boxes__tau": 0.25,
        "rewards__safety": None,
        "skyrl": {"trainer.x": 1},
    }
    changed = [identity(config(**{name: value})) for name, value in bound.items()]
    assert len({before, *changed}) == 1 + len(bound)


def test_a_run_is_the_same_wherever_its_files_lie(config):
    """A job's working folder has another path each time; the content of its files is held by digest."""
    before = identity(config(data__train_manifest="/a/train.jsonl", model__name_or_path="/a/model"))
    assert identity(config(data__train_manifest="/b/c/train.jsonl", model__name_or_path="/b/model")) == before
    assert identity(config(data__train_manifest="/a/other.jsonl", model__name_or_path="/a/model")) != before
    assert identity(config(data__train_manifest="s3://b/train.jsonl", model__name_or_path="/a/model")) != before
