"""The smaller parts: canonical JSON, the plan, the card, paths, groups, where the base is found."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from guerdon_serving.bundle.adapter import GROUPS, count_groups, group_of
from guerdon_serving.bundle.adapter_config import canonical_config, check_plain
from guerdon_serving.bundle.base import find_base, hub_snapshot
from guerdon_serving.bundle.card import write_card
from guerdon_serving.bundle.evaluation import best_step, describe_eval
from guerdon_serving.bundle.files import canonical, digest, file_facts, list_digest, model_files
from guerdon_serving.bundle.plan import VLLM_RANKS, plan_serving, vllm_arguments
from guerdon_serving.bundle.run import base_name, portable
from guerdon_serving.bundle.schema import EvalFacts, FileFacts, ModuleFacts
from guerdon_serving.codes import Code, RefusedError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_canonical_json_reads_back_and_has_one_form(data):
    raw = canonical(data)
    assert canonical(json.loads(raw)) == raw
    assert raw.endswith(b"\n")


@given(st.dictionaries(st.text("abc", max_size=3), st.integers(), min_size=2))
def test_canonical_json_does_not_depend_on_order(data):
    assert canonical(dict(reversed(data.items()))) == canonical(data)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_canonical_json_has_no_such_numbers(value):
    with pytest.raises(ValueError, match="JSON"):
        canonical({"x": value})


def test_files_are_listed_by_name_and_only_those_of_a_model(tmp_path):
    for name in ("b.json", "a.safetensors", "README.md", "c.py", "d.jinja"):
        (tmp_path / name).write_bytes(name.encode())
    assert [path.name for path in model_files(tmp_path)] == ["a.safetensors", "b.json", "d.jinja"]
    facts = file_facts(tmp_path / "b.json", "b.json")
    assert (facts.size, facts.sha256) == (6, digest(b"b.json"))
    assert list_digest([facts]) != list_digest([facts, facts])


@pytest.mark.parametrize(
    "path", ["../x", "/x", "a/../x", "a/b/c", "", ".", ".hidden", "a\\b", "a b", "a/.b", "x" * 201]
)
def test_paths_in_a_bundle_stay_in_it(path):
    with pytest.raises(ValidationError):
        FileFacts(path=path, size=0, sha256="0" * 64)


@pytest.mark.parametrize(
    ("module", "group"),
    [
        ("model.language_model.layers.3.mlp.up_proj", "lm"),
        ("model.visual.blocks.0.attn.qkv", "visual"),
        ("model.visual.patch_embed.proj", "visual"),
        ("model.visual.merger.linear_fc1", "merger"),
        ("model.visual.deepstack_merger_list.0.linear_fc1", "deepstack"),
        ("lm_head", "lm_head"),
    ],
)
def test_modules_belong_to_one_of_five_groups(module, group):
    assert group_of(module) == group
    assert count_groups({module: ModuleFacts(rank=1, scaling=1.0)}) == {name: int(name == group) for name in GROUPS}


def planned(bundle, *, groups=None, scaling=2.0, **adapter):
    modules = {name: ModuleFacts(rank=8, scaling=scaling) for name in bundle.facts.adapter.modules}
    changes = {"modules": modules, "groups": bundle.facts.adapter.groups | (groups or {})} | adapter
    return plan_serving(
        bundle.facts.adapter.model_copy(update=changes), {"r": 8, "lora_alpha": 16, "use_rslora": False}
    )


@pytest.mark.parametrize(("rank", "allowed"), [(1, 1), (2, 8), (8, 8), (9, 16), (129, 256), (257, 320), (512, 512)])
def test_vllm_gets_the_next_rank_that_it_takes(bundle, rank, allowed):
    serving = planned(bundle, r_max=rank)
    assert (serving.mode, serving.max_lora_rank) == ("dynamic", allowed)
    assert allowed in VLLM_RANKS
    assert vllm_arguments(serving) == ["--enable-lora", "--max-lora-rank", str(allowed)]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"r_max": 513}, "rank 513"),
        ({"groups": {"visual": 1}}, "tower"),
        ({"groups": {"deepstack": 1}}, "tower"),
        ({"groups": {"lm_head": 1}}, "lm_head"),
        ({"scaling": 4.0}, "scaling"),
    ],
)
def test_what_vllm_would_ignore_is_merged(bundle, changes, reason):
    serving = planned(bundle, **changes)
    assert (serving.mode, serving.max_lora_rank, len(serving.reasons)) == ("merge", None, 1)
    assert reason in serving.reasons[0]
    assert vllm_arguments(serving) == []


def test_the_canonical_configuration_is_stable(bundle):
    raw = json.loads((bundle.adapter / "adapter_config.json").read_text(encoding="utf-8"))
    assert canonical_config(raw, bundle.facts.base) == raw
    shuffled = raw | {"target_modules": list(reversed(raw["target_modules"])), "megatron_core": "megatron.core"}
    assert canonical_config(shuffled, bundle.facts.base) == raw
    assert raw["revision"] == bundle.facts.base.revision


@pytest.mark.parametrize(
    "field",
    [
        "layers_to_transform",
        "layer_replication",
        "trainable_token_indices",
        "target_parameters",
        "lora_bias",
        "not_yet_invented",
    ],
)
def test_fields_that_are_no_plain_lora_are_refused(bundle, field):
    raw = json.loads((bundle.adapter / "adapter_config.json").read_text(encoding="utf-8"))
    check_plain(raw | {field: None})
    with pytest.raises(RefusedError, match=field) as caught:
        check_plain(raw | {field: [1]})
    assert caught.value.code is Code.ADAPTER_CONFIG


def test_the_card_names_a_hub_base_and_shows_figures(bundle):
    facts = bundle.facts
    hub = facts.base.model_copy(update={"repo": "org/tiny", "revision": "0" * 40})
    card = write_card(hub, facts.run, facts.rewards, EvalFacts(base={"answer": 0.25}, grpo={"answer": 0.5, "new": 1.0}))
    assert card.startswith("---\nbase_model: org/tiny\nbase_model_relation: adapter\n")
    assert "| answer | 0.2500 | 0.5000 |\n| new |  | 1.0000 |\n" in card
    assert "base_model" not in write_card(facts.base, facts.run, facts.rewards, EvalFacts())


def test_the_best_step_is_saved_evaluated_and_the_earliest_of_equals():
    means = {0: {"a": 1.0}, 2: {"a": 0.5}, 4: {"a": 0.5}, 6: {"a": 0.9}}
    assert best_step(means, "a", [2, 4]) == 2
    assert best_step(means, "a", [4, 6]) == 6
    assert describe_eval(means, 4) == EvalFacts(base={"a": 1.0}, grpo={"a": 0.5})
    assert describe_eval({}, 4) == EvalFacts()
    with pytest.raises(RefusedError):
        best_step(means, "b", [2])


def test_paths_of_a_machine_become_names(tmp_path):
    config = {
        "model": {"name_or_path": str(tmp_path), "revision": None},
        "data": {"train_manifest": "/data/a.jsonl", "eval_manifest": None},
        "runtime": {"output_dir": "/runs", "steps": 1},
        "plugins": ["/home/me/mine.py"],
    }
    assert portable(config) == {
        "model": {"name_or_path": tmp_path.name, "revision": None},
        "data": {"train_manifest": "a.jsonl", "eval_manifest": None},
        "runtime": {"steps": 1},
        "plugins": ["mine.py"],
    }
    assert base_name("Qwen/Qwen3-VL-8B-Instruct") == "Qwen/Qwen3-VL-8B-Instruct"


def test_the_base_is_found_where_the_run_had_it_or_given(bundle, base_folder, forge):
    assert find_base(bundle.facts.base, bundle.folder, None) == base_folder
    assert find_base(bundle.facts.base, forge.folder, base_folder) == base_folder


def test_the_hubs_cache_is_searched_by_commit_and_nothing_is_fetched(tmp_path, monkeypatch, bundle, base_folder):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    commit = "0" * 40
    assert hub_snapshot("org/tiny", commit) is None
    assert hub_snapshot("org/tiny", "main") is None
    assert hub_snapshot("no name at all", commit) is None
    snapshot = tmp_path / "models--org--tiny/snapshots" / commit
    snapshot.parent.mkdir(parents=True)
    snapshot.symlink_to(base_folder)
    assert hub_snapshot("org/tiny", commit) == snapshot
