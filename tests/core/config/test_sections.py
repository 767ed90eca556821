"""Fields of the sections: documented, bounded, and a hub model pinned to its commit."""

import pytest

from guerdon import ConfigError
from guerdon.config import RunConfig

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_every_field_is_documented_or_named_by_a_single_choice():
    for section, info in RunConfig.model_fields.items():
        model = info.annotation
        for name, field in getattr(model, "model_fields", {}).items():
            assert field.description or name in ("name", "type", "nodes"), f"{section}.{name}"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("run__name", "a b"),
        ("run__name", ""),
        ("run__name", "../up"),
        ("run__seed", -1),
        ("run__seed", 2**31),
        ("model__name_or_path", ""),
        ("model__revision", "main"),
        ("model__revision", COMMIT.upper()),
        ("adapter__rank", 0),
        ("adapter__type", "dora"),
        ("adapter__dropout", 1.0),
        ("adapter__target_modules", []),
        ("adapter__exclude_modules", "("),
        ("algorithm__name", "ppo"),
        ("algorithm__group_size", 1),
        ("algorithm__learning_rate", 0),
        ("algorithm__learning_rate", float("inf")),
        ("algorithm__learning_rate", float("nan")),
        ("algorithm__kl_coefficient", -0.1),
        ("algorithm__kl_coefficient", float("inf")),
        ("algorithm__temperature", 0),
        ("algorithm__max_prompt_tokens", 0),
        ("runtime__backend", "gpu"),
        ("runtime__mixed_precision", "fp16"),
        ("runtime__steps", 0),
        ("runtime__eval_interval", 0),
        ("data__train_manifest", None),
    ],
)
def test_a_wrong_value_is_named_by_its_path(path, value, config):
    with pytest.raises(ConfigError) as caught:
        config(**{path: value})
    (line,) = str(caught.value).splitlines()[1:]
    assert line.strip().startswith(path.replace("__", ".") + ": ")
    assert repr(value)[:20] in line


@pytest.mark.parametrize("section", ["run", "model", "adapter", "algorithm", "runtime", "data"])
def test_an_unknown_field_is_named_by_its_path(section, config):
    with pytest.raises(ConfigError, match=rf"  {section}\.stepz: no such field; `guerdon config schema` lists them$"):
        config(**{f"{section}__stepz": 1})


def test_a_hub_model_needs_its_revision_and_is_told_how_to_find_it(config):
    with pytest.raises(ConfigError) as caught:
        config(model__name_or_path="Qwen/Qwen3-VL-8B-Instruct")
    message = str(caught.value)
    assert "model: 'Qwen/Qwen3-VL-8B-Instruct' is no local folder" in message
    assert "needs model.revision, the 40-hex commit" in message
    assert "git ls-remote https://huggingface.co/Qwen/Qwen3-VL-8B-Instruct HEAD" in message
    pinned = config(model__name_or_path="Qwen/Qwen3-VL-8B-Instruct", model__revision=COMMIT)
    assert pinned.model.revision == COMMIT


def test_a_local_folder_needs_none(config, tmp_path, monkeypatch):
    for path in ("./model", "../model", "/models/qwen", str(tmp_path)):
        assert config(model__name_or_path=path).model.revision is None
    (tmp_path / "models" / "qwen").mkdir(parents=True)
    with pytest.raises(ConfigError, match="is no local folder"):
        config(model__name_or_path="models/qwen")
    monkeypatch.chdir(tmp_path)
    assert config(model__name_or_path="models/qwen").model.name_or_path == "models/qwen"


def test_devices_are_nodes_times_gpus(config):
    assert config(runtime__nodes=2, runtime__gpus_per_node=4).runtime.devices == 8


def test_sections_are_frozen(config):
    built = config()
    with pytest.raises(ValueError, match="frozen"):
        built.runtime.steps = 1
    with pytest.raises(ValueError, match="frozen"):
        built.runtime = None
