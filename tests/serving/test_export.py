"""Exporting: the same inputs give the same bundle, and nothing leaves without its provenance."""

import json
import shutil
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from safetensors.torch import load_file, save_file

from guerdon.ledger.rule import METADATA_KEY, dump_rule
from guerdon.ledger.schema import RECORDS
from guerdon_serving.bundle.files import list_digest
from guerdon_serving.bundle.read import FACTS
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.export import export_bundle
from guerdon_serving.merge import merge_bundle
from guerdon_serving.verify import verify_load, verify_static

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def run(run_folder, tmp_path):
    """A copy of the run that may be spoiled."""
    return shutil.copytree(run_folder, tmp_path / "run", ignore=shutil.ignore_patterns("bundle"))


def record(run, change):
    path = run / "run.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def rebase(run, revision):
    record(run, lambda data: data["config"]["model"].update(name_or_path="org/tiny", revision=revision))


def refusal(run, **options):
    with pytest.raises(RefusedError) as caught:
        export_bundle(run, **options)
    assert not list(run.glob(".bundle*"))
    return caught.value.code


def test_the_facts_are_those_of_run_base_and_adapter(bundle, base_folder):
    facts = bundle.facts
    assert facts.base.revision == list_digest(facts.base.files) == facts.parent
    assert {file.path for file in facts.base.files} == {path.name for path in base_folder.iterdir()}
    assert (facts.base.repo, facts.base.model_type, facts.base.dtype) == ("tiny-qwen3-vl", "qwen3_vl", "bfloat16")
    assert (facts.adapter.tensors, facts.adapter.r_max, facts.adapter.dtype) == (42, 8, "float32")
    assert facts.adapter.key_prefix == "base_model.model.model.language_model.layers."
    assert facts.adapter.groups == {"lm": 21, "visual": 0, "merger": 0, "deepstack": 0, "lm_head": 0}
    assert {module.scaling for module in facts.adapter.modules.values()} == {2.0}
    assert (facts.serving.mode, facts.serving.max_lora_rank, facts.serving.tower) == ("dynamic", 8, False)
    assert facts.processor.grids == {"text": [], "image": [[1, 8, 8]], "images": [[1, 8, 8], [1, 8, 12]]}
    ids = facts.tokenizer.special_ids
    assert facts.tokenizer.end_ids == sorted((ids["<|im_end|>"], ids["<|endoftext|>"]))
    assert {ids["<|image_pad|>"], ids["<|video_pad|>"]} <= set(facts.tokenizer.forbidden_ids)
    assert facts.rewards["answer"].plugin == "correctness"
    assert [(data.split, data.name) for data in facts.data] == [("train", "train.jsonl"), ("eval", "eval.jsonl")]
    assert all(probe.delta > 0.1 and len(probe.adapter) == 8 for probe in facts.probes.values())


def test_the_small_files_of_the_base_are_copied_byte_for_byte(bundle, base_folder):
    copied = {path.name: path.read_bytes() for path in bundle.base.iterdir()}
    assert copied == {path.name: path.read_bytes() for path in base_folder.iterdir() if path.suffix != ".safetensors"}


def test_the_bundle_says_nothing_about_the_machine(bundle, run_folder):
    text = (bundle.folder / FACTS).read_text(encoding="utf-8") + (bundle.adapter / "adapter_config.json").read_text()
    assert str(run_folder.parent) not in text
    assert "/tmp" not in text


def test_the_same_inputs_give_the_same_bytes_whatever_the_threads(bundle, run, tmp_path):
    torch.set_num_threads(2)
    again = export_bundle(run, tmp_path / "again")
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)
    for path in bundle.folder.rglob("*"):
        if path.is_file():
            assert (again.folder / path.relative_to(bundle.folder)).read_bytes() == path.read_bytes(), path


def test_a_bundle_is_replaced_and_anything_else_is_not(run, bundle):
    assert export_bundle(run).id == export_bundle(run).id == bundle.id
    (run / "bundle" / FACTS).unlink()
    assert refusal(run) is Code.BUNDLE_OUTPUT


def test_with_the_base_inside_it_needs_nothing_else(run, tmp_path):
    bundle = export_bundle(run, tmp_path / "whole", with_base=True)
    assert verify_load(bundle.folder).bundle.id == bundle.id


@pytest.mark.parametrize(
    ("code", "spoil"),
    [
        (Code.RUN_MISSING, lambda run: (run / "run.json").unlink()),
        (Code.RUN_MISSING, lambda run: (run / "run.json").write_text("[]")),
        (Code.RUN_MISSING, lambda run: record(run, lambda data: data.pop("config_hash"))),
        (Code.RUN_MISSING, lambda run: record(run, lambda data: data["config"].pop("model"))),
        (Code.RUN_REWARDS, lambda run: record(run, lambda data: data["rewards"]["answer"].pop("code_hash"))),
        (Code.RUN_REWARDS, lambda run: record(run, lambda data: data["config"]["rewards"].update(more={}))),
        (Code.RUN_DATA, lambda run: record(run, lambda data: data["config"]["data"].update(train_manifest="/no/file"))),
        (Code.RUN_DATA, lambda run: record(run, lambda data: data.update(data={"train": "0" * 64}))),
        (Code.ADAPTER_MISSING, lambda run: shutil.rmtree(run / "adapter")),
        (Code.ADAPTER_MISSING, lambda run: (run / "adapter/adapter_model.safetensors").unlink()),
        (Code.ADAPTER_CONFIG, lambda run: (run / "adapter/adapter_config.json").unlink()),
        (Code.BASE_NO_REVISION, lambda run: rebase(run, None)),
        (Code.BASE_NOT_FOUND, lambda run: rebase(run, COMMIT)),
    ],
)  # fmt: skip
def test_missing_provenance_is_refused(run, code, spoil):
    spoil(run)
    assert refusal(run) is code


@pytest.mark.parametrize(
    ("code", "change"),
    [
        (Code.ADAPTER_NO_EFFECT, lambda tensors: {name: t * ("lora_A" in name) for name, t in tensors.items()}),
        (Code.ADAPTER_NOT_FINITE, lambda tensors: {name: t * float("nan") for name, t in tensors.items()}),
        (Code.ADAPTER_EMPTY, lambda _: {}),
        (Code.ADAPTER_KEYS, lambda tensors: dict(list(tensors.items())[1:])),
        (Code.PROBE_NO_EFFECT, lambda tensors: {name: t * 1e-12 for name, t in tensors.items()}),
    ],
)
def test_a_bad_adapter_does_not_leave(run, code, change):
    path = run / "adapter/adapter_model.safetensors"
    save_file(change(load_file(path)), path)
    assert refusal(run) is code


@pytest.mark.parametrize(
    ("code", "spoil"),
    [
        (Code.BASE_CODE, lambda base: (base / "config.json").write_text('{"auto_map": {}}')),
        (Code.BASE_INCOMPLETE, lambda base: (base / "config.json").unlink()),
        (Code.BASE_INCOMPLETE, lambda base: (base / "model.safetensors").rename(base / "model.bin")),
        (Code.BASE_INCOMPLETE, lambda base: (base / "tokenizer.json").unlink()),
        (Code.LOAD_FAILED, lambda base: (base / "model.safetensors").write_bytes(b"x" * 50)),
    ],
)
def test_a_bad_base_is_refused(run, base_folder, tmp_path, code, spoil):
    base = shutil.copytree(base_folder, tmp_path / "base")
    spoil(base)
    assert refusal(run, base=base) is code


def test_reward_code_from_a_file_needs_a_clean_commit_or_a_word(run):
    origin = {"plugin": "mine", "origin": "/home/me/mine.py", "version": "file@0123456789ab", "code_hash": "1" * 64}
    record(run, lambda data: (data["rewards"].update(answer=origin), data.update(git=None)))
    assert refusal(run) is Code.RUN_DIRTY
    facts = export_bundle(run, allow_dirty=True).facts
    assert (facts.rewards["answer"].dirty, facts.rewards["answer"].origin) == (True, "mine.py")
    record(run, lambda data: data.update(git={"commit": COMMIT, "dirty": False}))
    assert not export_bundle(run).facts.rewards["answer"].dirty


def test_a_commit_is_the_revision_where_there_is_one(run, base_folder):
    rebase(run, COMMIT)
    bundle = export_bundle(run, base=base_folder)
    assert (bundle.facts.base.repo, bundle.facts.base.revision) == ("org/tiny", COMMIT)
    card = (bundle.folder / "README.md").read_text(encoding="utf-8")
    assert "base_model: org/tiny\nbase_model_relation: adapter\n" in card
    assert verify_load(bundle.folder, base=base_folder).bundle.id == bundle.id


def write_evaluations(run, outcomes):
    """Write greedy evaluations of the component `answer`, step -> mean, as the ledger has them."""
    (run / "ledger/records").mkdir(parents=True)
    for step, value in outcomes.items():
        row = {"phase": "eval", "sampling": "greedy", "step": step, "component": "answer", "value": value, "attempt": 1}
        columns = {name: [row.get(name)] for name in RECORDS.names}
        schema = RECORDS.with_metadata({METADATA_KEY: dump_rule(None)})
        name = f"eval-greedy-{step:08d}-a0001.parquet"
        pq.write_table(pa.table(columns, schema), run / "ledger/records" / name)


def test_the_best_step_is_the_one_with_the_highest_outcome(run, make_adapter, base_folder):
    write_evaluations(run, {0: 0.1, 2: 0.7, 3: 0.9, 4: 0.5})
    for step in (2, 4):
        make_adapter(base_folder, run / f"checkpoints/global_step_{step}/policy/lora_adapter", seed=step)
    facts = export_bundle(run, step="best").facts
    assert facts.run.step == 2
    assert (facts.eval.base, facts.eval.grpo) == ({"answer": 0.1}, {"answer": 0.7})
    assert "| answer | 0.1000 | 0.7000 |" in (run / "bundle/README.md").read_text(encoding="utf-8")
    assert export_bundle(run, step=4).facts.run.step == 4
    assert refusal(run, step=3) is Code.RUN_STEP


def test_without_an_evaluated_checkpoint_there_is_no_best_step(run):
    assert refusal(run, step="best") is Code.RUN_STEP


TOWER = r".*visual\.blocks\.\d\.attn\.(qkv|proj)|.*visual\.merger\.linear_fc1|.*patch_embed\.proj"
GOOD = {
    "rank-stabilised": ({"use_rslora": True}, "dynamic"),
    "one target": ({"target_modules": ["q_proj"]}, "dynamic"),
    "targets by expression": ({"target_modules": r".*language_model.*\.(q|v)_proj"}, "dynamic"),
    "rank 64": ({"r": 64, "lora_alpha": 128}, "dynamic"),
    "rank 20": ({"r": 20}, "dynamic"),
    "for causal language models": ({"task_type": "CAUSAL_LM"}, "dynamic"),
    "dropout while training": ({"lora_dropout": 0.1}, "dynamic"),
    "in bf16": ({"dtype": torch.bfloat16}, "dynamic"),
    "ranks by pattern": ({"rank_pattern": {"q_proj": 4}}, "merge"),
    "scalings by pattern": ({"alpha_pattern": {"q_proj": 64}}, "merge"),
    "in the tower": ({"target_modules": TOWER, "exclude_modules": None}, "merge"),
}
MERGED = {"use_rslora", "rank_pattern", "alpha_pattern", "exclude_modules"}
"""These configurations are merged as well: the answers must be the adapter's."""


@pytest.mark.parametrize(("config", "mode"), GOOD.values(), ids=GOOD.keys())
def test_good_adapters_are_accepted(make_run, make_adapter, base_folder, tmp_path, config, mode):
    run = make_run(base_folder, tmp_path / "good")
    make_adapter(base_folder, run / "adapter", **config)
    bundle = export_bundle(run)
    assert bundle.facts.serving.mode == mode
    assert bundle.facts.serving.tower == ("visual" in str(config.get("target_modules")))
    assert verify_load(bundle.folder).gap < 1e-3
    if config.keys() & MERGED:
        assert merge_bundle(bundle.folder, tmp_path / "merged", dtype="float32").probe_gap < 1e-3


def test_a_rank_between_two_of_vllms_is_served_as_the_larger(make_run, make_adapter, base_folder, tmp_path):
    run = make_run(base_folder, tmp_path / "ranked")
    make_adapter(base_folder, run / "adapter", r=20, target_modules=["q_proj"])
    assert verify_static(export_bundle(run).folder).facts.serving.max_lora_rank == 32


RECORDED = Path(__file__).parent / "adapters"
"""Saved by other releases of PEFT, each in an environment of its own, on the shipped checkpoint: r 2, q_proj."""


@pytest.mark.parametrize("release", sorted(folder.name for folder in RECORDED.iterdir()))
def test_adapters_of_other_releases_of_peft_are_accepted(make_run, base_folder, tmp_path, release):
    run = make_run(base_folder, tmp_path / "other")
    shutil.copytree(RECORDED / release, run / "adapter")
    facts = export_bundle(run).facts
    assert facts.adapter.peft_version == release.removeprefix("peft-") != version("peft")
    assert (facts.serving.mode, facts.adapter.tensors) == ("dynamic", 6)
    assert verify_load(run / "bundle").gap < 1e-3
