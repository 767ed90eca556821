"""Merged weights: PEFT's own merge in fp32, cast once, with what the cast undid counted."""

import json

import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file, save_file
from transformers import AutoModelForImageTextToText

from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.merge import RECORD, merge_bundle


@pytest.fixture(scope="module")
def peft_merged(bundle, base_folder):
    model = AutoModelForImageTextToText.from_pretrained(base_folder, dtype=torch.float32)
    return PeftModel.from_pretrained(model, bundle.adapter).merge_and_unload(safe_merge=True).state_dict()


def test_in_fp32_every_tensor_is_what_peft_merges(bundle, peft_merged, tmp_path):
    report = merge_bundle(bundle.folder, tmp_path / "merged", dtype="float32")
    weights = load_file(tmp_path / "merged/model.safetensors")
    assert weights.keys() == peft_merged.keys()
    assert max(float((weights[name] - peft_merged[name]).abs().max()) for name in weights) < 1e-6
    assert (report.modules, report.swallowed, report.cast_error) == (21, 0, 0.0)
    config = json.loads((tmp_path / "merged/config.json").read_text(encoding="utf-8"))
    assert config["dtype"] == config["text_config"]["dtype"] == "float32"


def test_in_bf16_the_loss_is_reported(bundle, peft_merged, tmp_path):
    report = merge_bundle(bundle.folder, tmp_path / "merged")
    weights = load_file(tmp_path / "merged/model.safetensors")
    assert {tensor.dtype for tensor in weights.values()} == {torch.bfloat16}
    worst = max(float((weights[name].float() - peft_merged[name]).abs().max()) for name in weights)
    assert report.cast_error == pytest.approx(worst, abs=1e-6)
    assert 0 < report.swallowed_share < 0.05
    assert 1e-3 < report.probe_gap < 0.25
    assert json.loads((tmp_path / "merged" / RECORD).read_text(encoding="utf-8"))["bundle"] == bundle.id


def test_tiny_updates_vanish_in_bf16_and_are_counted(make_run, make_adapter, base_folder, tmp_path):
    from guerdon_serving.export import export_bundle

    run = make_run(base_folder, tmp_path / "small")
    make_adapter(base_folder, run / "adapter", scale=0.004)
    bundle = export_bundle(run)
    assert merge_bundle(bundle.folder, tmp_path / "merged").swallowed_share > 0.3
    assert merge_bundle(bundle.folder, tmp_path / "whole", dtype="float32").swallowed_share < 1e-4


def test_the_merged_model_loads_by_itself(bundle, base_folder, tmp_path):
    merge_bundle(bundle.folder, tmp_path / "merged")
    model = AutoModelForImageTextToText.from_pretrained(tmp_path / "merged", local_files_only=True)
    assert model.dtype == torch.bfloat16
    small = {path.name for path in base_folder.iterdir() if path.suffix != ".safetensors"}
    assert small < {path.name for path in (tmp_path / "merged").iterdir()}


def shard(base, folder):
    """Split the base's weights over two files, as large models come."""
    weights = load_file(base / "model.safetensors")
    names = sorted(weights)
    parts = {"model-00001-of-00002.safetensors": names[:40], "model-00002-of-00002.safetensors": names[40:]}
    folder.mkdir()
    for path in base.iterdir():
        if path.suffix != ".safetensors":
            (folder / path.name).write_bytes(path.read_bytes())
    for file, keys in parts.items():
        save_file({key: weights[key] for key in keys}, folder / file, metadata={"format": "pt"})
    index = {"metadata": {"total_size": 1}, "weight_map": {key: file for file, keys in parts.items() for key in keys}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    return folder


def test_shards_stay_shards(make_run, run_folder, base_folder, tmp_path, peft_merged):
    from guerdon_serving.export import export_bundle

    run = make_run(shard(base_folder, tmp_path / "sharded"), tmp_path / "run")
    (run / "adapter").symlink_to(run_folder / "adapter")
    bundle = export_bundle(run)
    merge_bundle(bundle.folder, tmp_path / "merged", dtype="float32")
    index = json.loads((tmp_path / "merged/model.safetensors.index.json").read_text(encoding="utf-8"))
    weights = {}
    for file in sorted(set(index["weight_map"].values())):
        weights |= load_file(tmp_path / "merged" / file)
    assert index["metadata"]["total_size"] == sum(tensor.nbytes for tensor in weights.values())
    assert max(float((weights[name] - peft_merged[name]).abs().max()) for name in weights) < 1e-6


def test_weights_under_other_names_are_refused(make_run, run_folder, base_folder, tmp_path, monkeypatch):
    import shutil

    from guerdon_serving import merge
    from guerdon_serving.export import export_bundle

    base = shutil.copytree(base_folder, tmp_path / "older")
    weights = load_file(base / "model.safetensors")
    old = {name.replace("model.language_model.", "model.", 1): tensor for name, tensor in weights.items()}
    run = make_run(base_folder, tmp_path / "run")
    (run / "adapter").symlink_to(run_folder / "adapter")
    bundle = export_bundle(run)
    save_file(old, base / "model.safetensors", metadata={"format": "pt"})
    monkeypatch.setattr(merge, "check_base", lambda *_: None)
    with pytest.raises(RefusedError) as caught:
        merge_bundle(bundle.folder, tmp_path / "merged", base=base)
    assert caught.value.code is Code.MERGE_KEYS
    assert not (tmp_path / "merged").exists()


def test_a_folder_in_the_way_is_kept(bundle, tmp_path):
    with pytest.raises(RefusedError) as caught:
        merge_bundle(bundle.folder, tmp_path)
    assert caught.value.code is Code.BUNDLE_OUTPUT
