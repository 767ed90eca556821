"""Each way in which a bundle can be wrong is refused with a code of its own."""

import json
import os
import pickle
import random
import shutil

import pytest
import torch

from guerdon import BundleError
from guerdon_serving.bundle.adapter_config import NAME, WEIGHTS
from guerdon_serving.bundle.base import list_digest
from guerdon_serving.bundle.files import file_facts
from guerdon_serving.bundle.read import FACTS, SEAL, check_files, open_bundle
from guerdon_serving.bundle.schema import FileFacts
from guerdon_serving.codes import REMEDIES, Code, RefusedError
from guerdon_serving.verify import verify_load, verify_static

LAYER = "base_model.model.model.language_model.layers.0.self_attn.q_proj"
A, B = f"{LAYER}.lora_A.weight", f"{LAYER}.lora_B.weight"


def flip(path, place=-1):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def rename(old, new):
    return lambda tensors: {name.replace(old, new): tensor for name, tensor in tensors.items()}


def without(name):
    return lambda tensors: {key: tensor for key, tensor in tensors.items() if key != name}


def scaled(part, factor):
    return lambda tensors: {key: tensor * factor if part in key else tensor for key, tensor in tensors.items()}


def spoiled(value):
    def change(tensors):
        tensors[B][0, 0] = value
        return tensors

    return change


def with_tensor(name):
    return lambda tensors: {**tensors, name: torch.ones(8, 128)}


def edit_text(forge, old, new):
    path = forge.folder / FACTS
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def add_file(forge, name, content=b"{}"):
    path = forge.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def link(forge):
    path = forge.folder / "adapter" / WEIGHTS
    elsewhere = forge.folder.parent / WEIGHTS
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def link_facts(forge):
    (forge.folder / FACTS).unlink()
    (forge.folder / FACTS).symlink_to("elsewhere")


def append(path):
    path.write_bytes(path.read_bytes() + b"x")


def forget_effects(forge):
    for name in forge.facts["probes"]:
        forge.set(f"probes.{name}.delta", 0.0)


def name_code(forge):
    path = forge.folder / "base/tokenizer_config.json"
    path.write_text('{"auto_map": {"AutoTokenizer": ["x.X", null]}}', encoding="utf-8")
    files = forge.facts["base"]["files"]
    place = next(place for place, file in enumerate(files) if file["path"] == path.name)
    files[place] = file_facts(path, path.name).model_dump()
    revise(forge, list_digest([FileFacts(**file) for file in files]))


def list_more(forge):
    add_file(forge, "adapter/more.json")
    forge.facts["adapter"]["files"].append(file_facts(forge.folder / "adapter/more.json", "more.json").model_dump())
    forge.seal()


def drop_revision(forge):
    del forge.facts["base"]["revision"]
    forge.seal()


def revise(forge, revision):
    forge.facts["base"]["revision"] = revision
    forge.config(revision=revision)


def adapt_lm_head(forge):
    size = json.loads((forge.folder / "base/config.json").read_text(encoding="utf-8"))["text_config"]
    head = "base_model.model.lm_head"
    heads = {f"{head}.lora_A.weight": (8, size["hidden_size"]), f"{head}.lora_B.weight": (size["vocab_size"], 8)}
    forge.tensors(lambda tensors: tensors | {name: torch.ones(shape) for name, shape in heads.items()})
    targets = [*["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"], "lm_head"]
    forge.config(target_modules=sorted(targets))


def garbage(forge):
    (forge.folder / "adapter" / WEIGHTS).write_bytes(b"\xff" * 100)
    forge.relist_adapter()


def unlist_config(forge):
    forge.facts["base"]["files"] = [file for file in forge.facts["base"]["files"] if file["path"] != "config.json"]
    revision = list_digest([FileFacts(**file) for file in forge.facts["base"]["files"]])
    (forge.folder / "base" / "config.json").unlink()
    revise(forge, revision)


STATIC = [
    ("no bundle.json", Code.BUNDLE_MISSING, lambda f: (f.folder / FACTS).unlink()),
    ("no JSON", Code.BUNDLE_MALFORMED, lambda f: (f.folder / FACTS).write_bytes(b"{")),
    ("a list", Code.BUNDLE_MALFORMED, lambda f: (f.folder / FACTS).write_bytes(b"[]\n")),
    ("nested too deeply", Code.BUNDLE_MALFORMED, lambda f: (f.folder / FACTS).write_bytes(b"[" * 100_000)),
    ("no number", Code.BUNDLE_MALFORMED, lambda f: edit_text(f, '"delta":', '"delta":NaN,"d":')),
    ("another version", Code.BUNDLE_VERSION, lambda f: f.set("schema_version", 2)),
    ("an unknown field", Code.BUNDLE_MALFORMED, lambda f: f.set("further", 1)),
    ("a section missing", Code.BUNDLE_MALFORMED, lambda f: (f.facts.pop("rewards"), f.seal())),
    ("no rewards", Code.BUNDLE_MALFORMED, lambda f: f.set("rewards", {})),
    ("a text for a number", Code.BUNDLE_MALFORMED, lambda f: f.set("run.seed", "7")),
    ("edited by hand", Code.BUNDLE_NOT_CANONICAL, lambda f: edit_text(f, ":", ": ")),
    ("a key twice", Code.BUNDLE_NOT_CANONICAL, lambda f: edit_text(f, '"seed":7', '"seed":6,"seed":7')),
    ("a value changed", Code.BUNDLE_SEAL, lambda f: edit_text(f, '"seed":7', '"seed":8')),
    ("no seal", Code.FILE_MISSING, lambda f: (f.folder / SEAL).unlink()),
    ("another's seal", Code.BUNDLE_SEAL, lambda f: (f.folder / SEAL).write_text("0" * 64 + f"  {FACTS}\n")),
    ("a byte of the adapter", Code.FILE_CHANGED, lambda f: flip(f.folder / "adapter" / WEIGHTS)),
    ("a byte of the tokenizer", Code.FILE_CHANGED, lambda f: flip(f.folder / "base/tokenizer.json", 500)),
    ("a byte more", Code.FILE_CHANGED, lambda f: append(f.folder / "README.md")),
    ("no template", Code.FILE_MISSING, lambda f: (f.folder / "base/chat_template.jinja").unlink()),
    ("no adapter", Code.FILE_MISSING, lambda f: (f.folder / "adapter" / WEIGHTS).unlink()),
    ("a further file", Code.FILE_UNLISTED, lambda f: add_file(f, "base/added_tokens.json")),
    ("a further folder", Code.FILE_UNLISTED, lambda f: (f.folder / "more").mkdir()),
    ("a link", Code.FILE_LINK, link),
    ("a link for bundle.json", Code.FILE_LINK, link_facts),
    ("a pipe", Code.FILE_LINK, lambda f: os.mkfifo(f.folder / "base/pipe.json")),
    ("Python code", Code.FILE_CODE, lambda f: add_file(f, "base/modeling_x.py")),
    ("a pickle", Code.FILE_CODE, lambda f: add_file(f, "adapter/adapter_model.bin", pickle.dumps({}))),
    ("a path outside", Code.FILE_PATH, lambda f: f.set("adapter.files.0.path", "../x.json")),
    ("an absolute path", Code.FILE_PATH, lambda f: f.set("card.path", "/etc/passwd")),
    ("revision null", Code.BASE_NO_REVISION, lambda f: f.set("base.revision", None)),
    ("revision empty", Code.BASE_NO_REVISION, lambda f: f.set("base.revision", "")),
    ("no revision at all", Code.BASE_NO_REVISION, drop_revision),
    ("no revision, seal left", Code.BASE_NO_REVISION,
     lambda f: edit_text(f, f'"revision":"{f.facts["base"]["revision"]}"', '"revision":null')),
    ("a branch", Code.BASE_REVISION, lambda f: f.set("base.revision", "main")),
    ("a digest of other files", Code.BASE_REVISION, lambda f: f.set("base.revision", "sha256:" + "0" * 64)),
    ("another digest in the list", Code.BASE_REVISION, lambda f: f.set("base.files.0.sha256", "0" * 64)),
    ("the adapter names another base", Code.ADAPTER_BASE, lambda f: f.config(base_model_name_or_path="other")),
    ("the adapter names another revision", Code.ADAPTER_BASE, lambda f: f.config(revision="main")),
    ("no LoRA", Code.ADAPTER_CONFIG, lambda f: f.config(peft_type="LOHA")),
    ("DoRA", Code.ADAPTER_CONFIG, lambda f: f.config(use_dora=True)),
    ("a bias", Code.ADAPTER_CONFIG, lambda f: f.config(bias="lora_only")),
    ("PiSSA, which changes the base", Code.ADAPTER_CONFIG, lambda f: f.config(init_lora_weights="pissa")),
    ("code to import", Code.ADAPTER_CONFIG, lambda f: f.config(auto_mapping={"parent_library": "os"})),
    ("rank 0", Code.ADAPTER_CONFIG, lambda f: f.config(r=0)),
    ("no targets", Code.ADAPTER_CONFIG, lambda f: f.config(target_modules=[])),
    ("modules_to_save", Code.ADAPTER_FULL_WEIGHTS, lambda f: f.config(modules_to_save=["lm_head"])),
    ("no tensors", Code.ADAPTER_EMPTY, lambda f: f.tensors(lambda _: {})),
    ("a base layer among them", Code.ADAPTER_FULL_WEIGHTS,
     lambda f: f.tensors(with_tensor(f"{LAYER}.base_layer.weight"))),
    ("the text model's keys", Code.ADAPTER_KEYS, lambda f: f.tensors(rename("language_model.", ""))),
    ("another release's keys", Code.ADAPTER_KEYS, lambda f: f.tensors(rename("model.model.", "model."))),
    ("a tensor missing", Code.ADAPTER_KEYS, lambda f: f.tensors(without(A))),
    ("a layer too many", Code.ADAPTER_KEYS, lambda f: f.tensors(with_tensor(A.replace(".0.", ".9.")))),
    ("targets the file lacks", Code.ADAPTER_KEYS, lambda f: f.config(target_modules=["q_proj"])),
    ("targets the model lacks", Code.ADAPTER_KEYS, lambda f: f.config(target_modules=["query"])),
    ("another rank", Code.ADAPTER_SHAPE, lambda f: f.config(r=16)),
    ("a rank pattern it lacks", Code.ADAPTER_SHAPE, lambda f: f.config(rank_pattern={"q_proj": 4})),
    ("NaN", Code.ADAPTER_NOT_FINITE, lambda f: f.tensors(spoiled(float("nan")))),
    ("infinity", Code.ADAPTER_NOT_FINITE, lambda f: f.tensors(spoiled(float("inf")))),
    ("every B zero", Code.ADAPTER_NO_EFFECT, lambda f: f.tensors(scaled("lora_B", 0))),
    ("every A zero", Code.ADAPTER_NO_EFFECT, lambda f: f.tensors(scaled("lora_A", 0))),
    ("a tied head", Code.ADAPTER_TIED_HEAD, adapt_lm_head),
    ("another scaling", Code.ADAPTER_FACTS, lambda f: f.config(lora_alpha=32)),
    ("a pattern of scalings", Code.ADAPTER_FACTS, lambda f: f.config(alpha_pattern={"q_proj": 4})),
    ("tensors of another size", Code.ADAPTER_FACTS, lambda f: f.tensors(scaled("lora_B", 2))),
    ("a group miscounted", Code.ADAPTER_FACTS, lambda f: f.set("adapter.groups.visual", 1)),
    ("no safetensors", Code.ADAPTER_UNREADABLE, garbage),
    ("no config.json", Code.ADAPTER_KEYS, unlist_config),
    ("code for the tokenizer", Code.BASE_CODE, name_code),
    ("a further file of the adapter, listed", Code.ADAPTER_FACTS, list_more),
    ("another plan", Code.SERVING_PLAN, lambda f: f.set("serving.mode", "merge")),
    ("a larger rank for vLLM", Code.SERVING_PLAN, lambda f: f.set("serving.max_lora_rank", 64)),
    ("no effect on record", Code.PROBE_NO_EFFECT, forget_effects),
    ("a probe missing", Code.PROBE_MISSING, lambda f: (f.facts["probes"].pop("images"), f.seal())),
]  # fmt: skip


@pytest.mark.parametrize(("code", "change"), [case[1:] for case in STATIC], ids=[case[0] for case in STATIC])
def test_a_bad_bundle_is_refused_with_its_code(forge, code, change):
    change(forge)
    with pytest.raises(RefusedError) as caught:
        verify_static(forge.folder)
    assert caught.value.code is code, str(caught.value)
    assert str(caught.value).startswith(f"{code}: ")
    assert str(caught.value).endswith(REMEDIES[code])


LOAD = [
    ("another answer of the adapter", Code.PROBE_MISMATCH, lambda f: f.set("probes.image.adapter.0.logprob", -3.0)),
    ("another answer of the base", Code.PROBE_MISMATCH, lambda f: f.set("probes.text.base.0.logprob", -3.0)),
    ("another template", Code.TEMPLATE_HASH, lambda f: f.set("chat_template.sha256", "0" * 64)),
    ("another rendering", Code.TEMPLATE_RENDER, lambda f: f.set("chat_template.renders.text", "0" * 64)),
    ("other token ids", Code.TEMPLATE_RENDER, lambda f: f.set("chat_template.token_ids.image", "0" * 64)),
    ("another grid", Code.PROCESSOR_GRID, lambda f: f.set("processor.grids.image", [[1, 4, 4]])),
    ("another processor", Code.PROCESSOR_FACTS, lambda f: f.set("processor.processor", "Qwen2VLProcessor")),
    ("image tokens not forbidden", Code.TOKENIZER_FACTS, lambda f: f.set("tokenizer.forbidden_ids", [])),
    ("other end tokens", Code.TOKENIZER_FACTS, lambda f: f.set("tokenizer.end_ids", [0])),
]


@pytest.mark.parametrize(("code", "change"), [case[1:] for case in LOAD], ids=[case[0] for case in LOAD])
def test_what_only_shows_when_loaded_is_refused_with_its_code(forge, base_folder, code, change):
    change(forge)
    verify_static(forge.folder)
    with pytest.raises(RefusedError) as caught:
        verify_load(forge.folder, base=base_folder)
    assert caught.value.code is code, str(caught.value)


def other_weights(base):
    flip(base / "model.safetensors", -1)


def other_template(base):
    (base / "chat_template.jinja").write_text("{{ messages }}", encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [
        other_weights,
        other_template,
        lambda base: (base / "preprocessor_config.json").unlink(),
        lambda base: (base / NAME).write_text("{}", encoding="utf-8"),
    ],
    ids=["a byte of the weights", "the template", "a file missing", "a hidden adapter"],
)
def test_the_wrong_base_is_refused(bundle, base_folder, tmp_path, change):
    base = shutil.copytree(base_folder, tmp_path / "base")
    change(base)
    with pytest.raises(RefusedError) as caught:
        verify_load(bundle.folder, base=base)
    assert caught.value.code is Code.BASE_MISMATCH


def test_a_base_that_is_not_there_is_refused(forge, tmp_path):
    with pytest.raises(RefusedError) as given:
        verify_load(forge.folder, base=tmp_path / "nowhere")
    with pytest.raises(RefusedError) as searched:
        verify_load(forge.folder)
    assert given.value.code is searched.value.code is Code.BASE_NOT_FOUND


def test_another_bundle_than_the_one_asked_for_is_refused(bundle):
    assert verify_static(bundle.folder, expected_id=bundle.id[:12]).id == bundle.id
    with pytest.raises(RefusedError) as caught:
        verify_static(bundle.folder, expected_id="0" * 64)
    assert caught.value.code is Code.BUNDLE_ID


def look(folder):
    check_files(open_bundle(folder))


def test_500_random_one_byte_changes_are_all_caught(forge):
    look(forge.folder)
    draw = random.Random(0)
    files = sorted(path for path in forge.folder.rglob("*") if path.is_file())
    for _ in range(500):
        path = draw.choice(files)
        data = path.read_bytes()
        place, bit = draw.randrange(len(data)), 1 << draw.randrange(8)
        path.write_bytes(data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :])
        with pytest.raises(RefusedError):
            look(forge.folder)
        path.write_bytes(data)
    look(forge.folder)


def test_every_removal_truncation_and_addition_is_caught(forge):
    for path in sorted(path for path in forge.folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        for change in (
            path.unlink,
            lambda path=path, data=data: path.write_bytes(data[:-1]),
            lambda path=path, data=data: path.write_bytes(data + b"\n"),
        ):
            change()
            with pytest.raises(RefusedError):
                look(forge.folder)
            path.write_bytes(data)
        beside = path.with_name(f"x{path.name}")
        beside.write_bytes(b"")
        with pytest.raises(RefusedError):
            look(forge.folder)
        beside.unlink()
    look(forge.folder)


def test_every_code_has_a_remedy_and_refusals_pickle():
    assert REMEDIES.keys() == set(Code)
    error = pickle.loads(pickle.dumps(RefusedError(Code.BUNDLE_SEAL, "found")))
    assert isinstance(error, BundleError)
    assert isinstance(error, ValueError)
    assert (error.code, str(error)) == (Code.BUNDLE_SEAL, f"bundle.seal: found. Remedy: {REMEDIES[Code.BUNDLE_SEAL]}")
