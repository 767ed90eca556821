"""A run folder as the trainer leaves it, made without training: LoRA with random B on the shipped checkpoint."""

import base64
import dataclasses
import hashlib
import io
import json
import shutil
import socket
import threading
import time
from pathlib import Path

import httpx
import pytest
import torch
import uvicorn
from hypothesis import settings as hypothesis_settings
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict
from PIL import Image, ImageDraw
from safetensors.torch import load_file, save_file
from transformers import AutoModelForImageTextToText

from guerdon_serving.bundle.adapter_config import NAME, WEIGHTS
from guerdon_serving.bundle.files import canonical, digest, file_facts
from guerdon_serving.bundle.read import FACTS, SEAL
from guerdon_serving.export import export_bundle
from guerdon_serving.server.run import configure
from guerdon_serving.server.service import Service
from guerdon_serving.server.settings import Settings
from guerdon_trainer.quickstart.checkpoint import NOTE, checkpoint_path

hypothesis_settings.register_profile("serving", deadline=None)  # a loaded machine is no failure
hypothesis_settings.load_profile("serving")

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
LAYER = "base_model.model.model.language_model.layers.0.self_attn.q_proj"


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def no_outgoing_connections():
    """Refuse every connection that leaves this machine."""
    connect = socket.socket.connect

    def guarded(self, address):
        if self.family in {socket.AF_INET, socket.AF_INET6} and address[0] not in {"127.0.0.1", "::1"}:
            raise AssertionError(f"connects to {address}")
        return connect(self, address)

    socket.socket.connect = guarded
    yield
    socket.socket.connect = connect


@pytest.fixture(scope="session")
def base_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "tiny-qwen3-vl"
    return shutil.copytree(checkpoint_path(), folder, ignore=shutil.ignore_patterns(NOTE))


def write_adapter(base, folder, *, seed=0, scale=0.05, dtype=torch.float32, **config):
    """Save a LoRA adapter with random A and B; returns the folder."""
    settings = {"r": 8, "lora_alpha": 16, "target_modules": TARGETS, "exclude_modules": ".*visual.*"} | config
    model = get_peft_model(
        AutoModelForImageTextToText.from_pretrained(base, dtype=torch.float32), LoraConfig(**settings)
    )
    tensors = get_peft_model_state_dict(model, save_embedding_layers=False)
    generator = torch.Generator().manual_seed(seed)
    folder.mkdir(parents=True)
    save_file(
        {
            name: torch.empty_like(tensor).normal_(0, scale, generator=generator).to(dtype)
            for name, tensor in tensors.items()
        },
        folder / WEIGHTS,
    )
    model.peft_config["default"].save_pretrained(folder)
    return folder


def write_run(base, folder, *, name="tiny", revision=None, **record):
    """Write run.json and manifests as the trainer does; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    manifests = {}
    for split in ("train", "eval"):
        manifests[f"{split}_manifest"] = str(folder.parent / f"{split}.jsonl")
        Path(manifests[f"{split}_manifest"]).write_text(f'{{"id": "{split}", "messages": []}}\n', encoding="utf-8")
    config = {
        "run": {"name": name, "seed": 7},
        "model": {"name_or_path": str(base), "revision": revision, "trust_remote_code": False},
        "adapter": {"type": "lora", "rank": 8, "alpha": 16},
        "algorithm": {"max_completion_tokens": 24},
        "runtime": {"steps": 4, "nodes": 1, "gpus_per_node": 1, "output_dir": str(folder.parent)},
        "data": manifests,
        "plugins": [],
        "outcome": "answer",
        "rewards": {"answer": {"use": "correctness", "weight": 1.0, "role": "train"}},
    }
    code = hashlib.sha256(b"code").hexdigest()
    facts = {
        "schema_version": 1,
        "config": config,
        "config_hash": hashlib.sha256(b"config").hexdigest(),
        "rewards": {"answer": {"plugin": "correctness", "origin": "guerdon", "version": "0.1.0", "code_hash": code}},
        "versions": {"guerdon": "0.1.0", "peft": "0.18.1", "torch": "2.13.0", "transformers": "5.16.1"},
        "git": {"commit": "0" * 40, "dirty": False},
        "attempt": 1,
    } | record
    (folder / "run.json").write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def make_adapter():
    return write_adapter


@pytest.fixture(scope="session")
def make_run():
    return write_run


@pytest.fixture(scope="session")
def run_folder(base_folder, tmp_path_factory):
    folder = write_run(base_folder, tmp_path_factory.mktemp("runs") / "tiny")
    write_adapter(base_folder, folder / "adapter")
    return folder


@pytest.fixture(scope="session")
def bundle(run_folder):
    """The exported bundle; not to be written to."""
    return export_bundle(run_folder)


@pytest.fixture(scope="session")
def other_bundle(base_folder, tmp_path_factory):
    """Another adapter for the same base."""
    folder = write_run(base_folder, tmp_path_factory.mktemp("runs") / "other", name="other")
    write_adapter(base_folder, folder / "adapter", seed=1)
    return export_bundle(folder)


class Forge:
    """A copy of a bundle that can be changed and sealed again, as a careful forger would."""

    def __init__(self, folder):
        self.folder = folder
        self.facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))

    def seal(self):
        raw = canonical(self.facts)
        (self.folder / FACTS).write_bytes(raw)
        (self.folder / SEAL).write_text(f"{digest(raw)}  {FACTS}\n", encoding="ascii")

    def relist_adapter(self):
        files = [file_facts(self.folder / "adapter" / name, name) for name in (NAME, WEIGHTS)]
        self.facts["adapter"]["files"] = [file.model_dump() for file in files]
        self.seal()

    def config(self, **changes):
        """Change adapter_config.json."""
        path = self.folder / "adapter" / NAME
        data = json.loads(path.read_text(encoding="utf-8")) | changes
        path.write_text(json.dumps(data, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        self.relist_adapter()

    def tensors(self, change):
        """Change the adapter's tensors by a function of the dict."""
        path = self.folder / "adapter" / WEIGHTS
        save_file({name: tensor.contiguous() for name, tensor in change(load_file(path)).items()}, path)
        self.relist_adapter()

    def set(self, dotted, value):
        """Change one value of bundle.json and seal it."""
        *parents, last = dotted.split(".")
        target = self.facts
        for key in parents:
            target = target[int(key) if isinstance(target, list) else key]
        target[int(last) if isinstance(target, list) else last] = value
        self.seal()


@pytest.fixture
def forge(bundle, tmp_path):
    return Forge(shutil.copytree(bundle.folder, tmp_path / "forged"))


class Running:
    """A server on a port of its own, in a thread."""

    def __init__(self, settings):
        self.service = Service(dataclasses.replace(settings, port=0))
        self.server = uvicorn.Server(configure(self.service))
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.005)
        self.url = f"http://127.0.0.1:{self.server.servers[0].sockets[0].getsockname()[1]}"
        self.http = httpx.Client(base_url=self.url, timeout=60)

    def ask(self, text="what is 2 plus 3?", images=(), **fields):
        return self.http.post("/v1/chat/completions", json=chat(text, images, **fields))

    def stop(self):
        self.http.close()
        self.server.should_exit = True
        self.thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


@pytest.fixture(scope="module")
def run_server():
    """Start servers; all are stopped at the end of the module, or by ``with`` before."""
    running = []

    def start(settings, *, load=True):
        running.append(server := Running(settings))
        if load:
            server.service.start()
        return server

    yield start
    for server in running:
        server.stop()


@pytest.fixture(scope="session")
def server(bundle, tmp_path_factory):
    """A server with the bundle on it, allowed to load more from the folder of all tests."""
    with Running(Settings(bundle.folder, bundles=tmp_path_factory.getbasetemp())) as server:
        server.service.start()
        yield server


def chat(text, images=(), **fields):
    """Return a chat request with PIL images as data URLs."""
    parts = [{"type": "image_url", "image_url": {"url": data_url(image)}} for image in images]
    return {"messages": [{"role": "user", "content": [*parts, {"type": "text", "text": text}]}], **fields}


def data_url(image, kind="PNG"):
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(buffer.getvalue()).decode()}"


@pytest.fixture(scope="session")
def ask_body():
    return chat


@pytest.fixture(scope="session")
def as_data_url():
    return data_url


@pytest.fixture(scope="session")
def prompts():
    """Text, one image and two images, as (text, images)."""
    circle, square = (Image.new("RGB", (64, 64), "gray") for _ in range(2))
    ImageDraw.Draw(circle).ellipse((8, 8, 40, 40), fill="blue")
    ImageDraw.Draw(square).rectangle((20, 20, 60, 50), fill="red")
    return {
        "text": ("what is 4 plus 5?", []),
        "image": ("what shape does the image contain?", [circle]),
        "images": ("what color is the second shape?", [circle, square]),
    }
