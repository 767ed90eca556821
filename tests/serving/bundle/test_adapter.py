"""The adapter's tensors against the model's skeleton, and their measures against dense algebra."""

import contextlib
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from guerdon_serving.bundle.adapter import (
    PREFIX,
    A,
    B,
    Expected,
    _common_beginning,
    check_fit,
    check_names,
    check_values,
    expected_tensors,
    read_tensors,
)
from guerdon_serving.bundle.adapter_config import WEIGHTS
from guerdon_serving.bundle.schema import ModuleFacts
from guerdon_serving.codes import Code, RefusedError

CONFIG = {
    "r": 4,
    "lora_alpha": 8,
    "target_modules": ["q_proj", "v_proj"],
    "exclude_modules": None,
    "use_rslora": False,
    "rank_pattern": {},
    "alpha_pattern": {},
}


def test_the_skeleton_names_every_tensor_and_its_shape(base_folder):
    expected = expected_tensors(base_folder, CONFIG)
    assert len(expected.modules) == 6
    assert len(expected.shapes) == 12
    name = "model.language_model.layers.1.self_attn.v_proj"
    assert expected.modules[name] == ModuleFacts(rank=4, scaling=2.0)
    assert expected.shapes[f"{PREFIX}{name}{A}"] == (4, 128)
    assert expected.shapes[f"{PREFIX}{name}{B}"] == (64, 4)


@pytest.mark.parametrize(
    ("changes", "rank", "scaling"),
    [
        ({"use_rslora": True}, 4, 4.0),
        ({"rank_pattern": {"q_proj": 2}}, 2, 4.0),
        ({"alpha_pattern": {"q_proj": 2}}, 4, 0.5),
    ],
)
def test_patterns_and_stabilisation_reach_the_modules(base_folder, changes, rank, scaling):
    modules = expected_tensors(base_folder, CONFIG | changes).modules
    assert modules["model.language_model.layers.0.self_attn.q_proj"] == ModuleFacts(rank=rank, scaling=scaling)


def test_suffixes_that_hit_the_tower_are_seen(base_folder):
    modules = expected_tensors(base_folder, CONFIG | {"target_modules": ["proj", "linear_fc1"]}).modules
    assert "model.visual.patch_embed.proj" in modules
    assert "model.visual.deepstack_merger_list.0.linear_fc1" in modules


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(RefusedError) as caught:
        expected_tensors(tmp_path, CONFIG)
    assert caught.value.code is Code.ADAPTER_KEYS


@pytest.mark.parametrize(
    ("shapes", "code", "message"),
    [
        ({"a": (1, 2)}, Code.ADAPTER_KEYS, r"of 2 tensors .* 1 are missing, and 0 .*missing b"),
        ({"a": (1, 2), "b": (2, 1), "c": (1,)}, Code.ADAPTER_KEYS, r"0 are missing, and 1 .*unexpected c"),
        ({"x": (1, 2), "y": (2, 1)}, Code.ADAPTER_KEYS, r"missing a; unexpected x"),
        ({"a": (1, 2), "b": (2, 2)}, Code.ADAPTER_SHAPE, r"b: \(2, 2\), not \(2, 1\)"),
    ],
)
def test_names_and_shapes_must_fit_exactly(shapes, code, message):
    expected = Expected({"a": (1, 2), "b": (2, 1)}, {})
    check_fit({"a": (1, 2), "b": (2, 1)}, expected)
    with pytest.raises(RefusedError, match=message) as caught:
        check_fit(shapes, expected)
    assert caught.value.code is code


def test_only_a_and_b_are_taken(tmp_path):
    check_names([f"m{A}", f"m{B}"], tmp_path)
    with pytest.raises(RefusedError, match="1 of 2 tensors"):
        check_names([f"m{A}", "lm_head.weight"], tmp_path)


def pair(seed, rank, inputs, outputs, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    a = torch.empty(rank, inputs).normal_(generator=generator)
    return a, torch.empty(outputs, rank).normal_(0, scale, generator=generator)


@given(st.integers(0, 999), st.integers(1, 5), st.integers(1, 7), st.integers(1, 7), st.floats(0.1, 8))
def test_norms_are_those_of_the_dense_update(seed, rank, inputs, outputs, scaling):
    tensors, modules, dense = {}, {}, 0.0
    for name in ("m", "n"):
        a, b = pair(seed, rank, inputs, outputs)
        tensors |= {f"{PREFIX}{name}{A}": a, f"{PREFIX}{name}{B}": b}
        modules[name] = ModuleFacts(rank=rank, scaling=scaling)
        dense += float((scaling * b.double() @ a.double()).square().sum())
    norms = check_values(tensors, modules, "folder")
    assert norms.update == pytest.approx(math.sqrt(dense), rel=1e-5)
    assert norms.a == pytest.approx(math.sqrt(2) * float(a.double().norm()), rel=1e-5)
    assert norms.b == pytest.approx(math.sqrt(2) * float(b.double().norm()), rel=1e-5)


def test_convolutions_are_measured_as_the_matrices_that_they_are(tmp_path):
    a, b = pair(0, 2, 12, 5)
    flat = {f"{PREFIX}m{A}": a, f"{PREFIX}m{B}": b}
    folded = {f"{PREFIX}m{A}": a.reshape(2, 3, 2, 2), f"{PREFIX}m{B}": b.reshape(5, 2, 1, 1)}
    modules = {"m": ModuleFacts(rank=2, scaling=1.0)}
    assert check_values(folded, modules, tmp_path) == check_values(flat, modules, tmp_path)


def test_a_and_b_that_cancel_have_no_effect(tmp_path):
    a, b = torch.tensor([[1.0, 0.0], [0.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    with pytest.raises(RefusedError, match="every product") as caught:
        check_values({f"{PREFIX}m{A}": a, f"{PREFIX}m{B}": b}, {"m": ModuleFacts(rank=2, scaling=1.0)}, tmp_path)
    assert caught.value.code is Code.ADAPTER_NO_EFFECT


@pytest.mark.parametrize("content", [b"", b"\x00" * 8, b"\xff" * 64, b"\x10" + b"\x00" * 7 + b"{" * 16])
def test_damaged_files_are_refused_and_never_crash(tmp_path, content):
    (tmp_path / WEIGHTS).write_bytes(content)
    with pytest.raises(RefusedError) as caught:
        read_tensors(tmp_path)
    assert caught.value.code is Code.ADAPTER_UNREADABLE


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("junk")
    (folder / WEIGHTS).write_bytes(content)
    with contextlib.suppress(RefusedError):
        assert read_tensors(folder) == {}


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(RefusedError) as caught:
        read_tensors(tmp_path)
    assert caught.value.code is Code.ADAPTER_MISSING


def test_tensors_come_back_as_saved(tmp_path):
    save_file({"x": torch.arange(3.0)}, tmp_path / WEIGHTS)
    assert read_tensors(tmp_path)["x"].tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("names", "beginning"), [(["abc", "abd"], "ab"), (["a"], "a"), (["x", "y"], ""), (["ab", "abc"], "ab")]
)
def test_the_common_beginning(names, beginning):
    assert _common_beginning(names) == beginning
