"""The small Qwen3-VL: its size, its initialisation and the folder that it is saved in."""

import json

import pytest
import torch

from guerdon_trainer.quickstart.model import build_model, save_checkpoint

LAYER = "model.language_model.layers.0."


def test_the_model_is_small(student):
    assert 820_000 < student.model.num_parameters() < 840_000
    assert student.model.config.text_config.vocab_size == len(student.processor.tokenizer) < 512


def test_the_weights_depend_on_the_seed_alone(student):
    first, again, other = (_weights(build_model(student.processor.tokenizer, seed=seed)) for seed in (3, 3, 4))
    name = LAYER + "mlp.down_proj.weight"
    assert torch.equal(first[name], again[name])
    assert not torch.equal(first[name], other[name])


@pytest.mark.parametrize(
    ("name", "deviation"),
    [
        ("model.visual.pos_embed.weight", 0.5),
        ("model.language_model.embed_tokens.weight", 0.08),
        (LAYER + "mlp.up_proj.weight", 0.8 / 128**0.5),
        (LAYER + "mlp.down_proj.weight", 0.8 / 256**0.5 / 2),
        (LAYER + "self_attn.o_proj.weight", 0.8 / 128**0.5 / 2),
        ("model.visual.merger.linear_fc2.weight", 0.8 / 256**0.5),
    ],
)
def test_the_initialisation_is_the_one_that_learns(student, name, deviation):
    weights = _weights(build_model(student.processor.tokenizer, seed=0))
    assert weights[name].std().item() == pytest.approx(deviation, rel=0.05)


def test_a_picture_takes_sixteen_tokens(student):
    config = student.model.config.vision_config
    side = 64 // config.patch_size // config.spatial_merge_size
    assert side * side == 16
    assert student.processor.image_processor.size == {"shortest_edge": 64 * 64, "longest_edge": 128 * 128}


def test_the_saved_folder_states_bf16_and_has_the_older_files_too(student, tmp_path):
    save_checkpoint(tmp_path, student.model, student.processor)
    config = _read(tmp_path / "config.json")
    assert {part["dtype"] for part in (config, config["text_config"], config["vision_config"])} == {"bfloat16"}
    combined = _read(tmp_path / "processor_config.json")
    assert _read(tmp_path / "preprocessor_config.json") == combined["image_processor"]
    assert _read(tmp_path / "video_preprocessor_config.json") == combined["video_processor"]


def test_saving_leaves_the_model_in_fp32(student, tmp_path):
    save_checkpoint(tmp_path, student.model, student.processor)
    assert student.model.dtype == torch.float32


def _weights(model):
    return dict(model.named_parameters())


def _read(path):
    return json.loads(path.read_text(encoding="utf-8"))
