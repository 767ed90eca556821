"""A hub name becomes a local folder: from the cache without network, else from the hub."""

import json
import os
import subprocess
import sys

import huggingface_hub.constants as hub_constants
import pytest
from tests.trainer.snapshot.hub import CODE, COMMIT, MODEL, REPO, serving, write_cache

from guerdon import RunError
from guerdon.config import build_config, dump_config
from guerdon_trainer.folder import open_run
from guerdon_trainer.skyrl_settings import to_skyrl
from guerdon_trainer.snapshot import resolve_model, with_local_model

TEMPLATE = "/{repo_id}/resolve/{revision}/{filename}"
RESOLVE = """
import json, sys
from guerdon import GuerdonError
from guerdon.config import build_config
from guerdon_trainer.snapshot import resolve_model
config, _ = build_config(json.loads(sys.argv[1]))
try:
    print(json.dumps(resolve_model(config).record()))
except GuerdonError as error:
    print(json.dumps(str(error)))
"""


@pytest.fixture
def hub_config(run_config):
    def build(**model):
        return run_config(model={"name_or_path": REPO, "revision": COMMIT} | model)

    return build


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(hub_constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return lambda files=MODEL: write_cache(tmp_path, files)


@pytest.fixture
def resolve(tmp_path):
    """Resolve in a process of its own: the hub's client reads its environment at import."""

    def resolve(config, **environment):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        done = subprocess.run(
            [sys.executable, "-c", RESOLVE, json.dumps(dump_config(config))],
            env=clean | {"HF_HOME": str(tmp_path)} | environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        return json.loads(done.stdout.splitlines()[-1])

    return resolve


def test_a_cached_commit_needs_no_network(cache, hub_config):
    folder = cache()
    snapshot = resolve_model(hub_config())
    assert (snapshot.repo, snapshot.commit, snapshot.path) == (REPO, COMMIT, folder)
    assert {file.path for file in snapshot.files} == MODEL.keys() - {"README.md"}


def test_only_the_folder_goes_to_skyrl(cache, hub_config, tmp_path):
    config = hub_config()
    folder = cache()
    local = with_local_model(config, resolve_model(config))
    assert (local.model.name_or_path, local.model.revision) == (str(folder), None)
    assert to_skyrl(local, open_run(*build_config(dump_config(config)))[0])["trainer.policy.model.path"] == str(folder)


def test_the_record_of_a_run_names_repository_commit_and_digests(cache, hub_config):
    from guerdon_serving.bundle.base import hub_snapshot
    from guerdon_serving.bundle.run import read_run

    folder = cache()
    config, plugins = build_config(dump_config(hub_config()))
    run, _ = open_run(config, plugins, resolve_model(config))
    base = json.loads(run.record.read_text())["base"]
    assert (base["repo"], base["commit"]) == (REPO, COMMIT)
    assert {file["path"]: file["size"] for file in base["files"]}["model-1.safetensors"] == 300
    record = read_run(run.path)
    assert (record.base, record.revision) == (REPO, COMMIT)
    assert hub_snapshot(record.base, record.revision) == folder


def test_a_run_does_not_go_on_with_other_weights(cache, hub_config):
    folder = cache()
    config, plugins = build_config(dump_config(hub_config()))
    open_run(config, plugins, resolve_model(config))
    assert open_run(config, plugins, resolve_model(config))[1] == 2
    (folder / "model-1.safetensors").unlink()
    (folder / "model-1.safetensors").write_bytes(b"other")
    with pytest.raises(RunError, match=r"has changed: model-1\.safetensors of the base model"):
        open_run(config, plugins, resolve_model(config))


def test_code_in_the_cache_is_refused_unless_allowed_by_name(cache, hub_config):
    cache(MODEL | CODE)
    with pytest.raises(RunError, match=r"org/tiny carries code of its own \(modeling_tiny\.py, auto_map in config"):
        resolve_model(hub_config())
    allowed = resolve_model(hub_config(trust_remote_code=True))
    assert "modeling_tiny.py" in {file.path for file in allowed.files}


def test_code_in_a_local_folder_is_refused_too(run_config, tmp_path):
    for name, content in (MODEL | CODE).items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(RunError, match="carries code of its own"):
        resolve_model(run_config(model={"name_or_path": str(tmp_path)}))


def test_a_local_folder_is_itself(run_config, model_path):
    config = run_config()
    snapshot = resolve_model(config)
    assert (snapshot.repo, snapshot.commit, str(snapshot.path)) == (model_path, None, model_path)
    assert with_local_model(config, snapshot) is config


def test_a_folder_that_is_not_there(run_config, tmp_path):
    with pytest.raises(RunError, match="gone is no folder"):
        resolve_model(run_config(model={"name_or_path": str(tmp_path / "gone")}))


def test_a_folder_without_weights(run_config, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(RunError, match=r"has no \*\.safetensors"):
        resolve_model(run_config(model={"name_or_path": str(tmp_path)}))


@pytest.fixture
def online(monkeypatch):
    """Ask a server on loopback in this process; `test_the_hub_is_asked_once...` does it by environment."""
    monkeypatch.setattr(hub_constants, "HF_HUB_OFFLINE", False)

    def ask(hub, config):
        monkeypatch.setattr(hub_constants, "ENDPOINT", hub.endpoint)
        monkeypatch.setattr(hub_constants, "HUGGINGFACE_CO_URL_TEMPLATE", hub.endpoint + TEMPLATE)
        return resolve_model(config)

    return ask


def test_offline_an_incomplete_cache_names_the_remedy(hub_config, cache, monkeypatch):
    monkeypatch.setattr(hub_constants, "HF_HUB_OFFLINE", True)
    cache({"config.json": b"{}"})
    with pytest.raises(RunError) as caught:
        resolve_model(hub_config())
    assert f"{REPO} at {COMMIT} is not complete in the hub's cache" in str(caught.value)
    assert f"hf download {REPO} --revision {COMMIT}" in str(caught.value)


def test_the_hub_is_asked_once_and_then_never_again(hub_config, resolve):
    with serving() as hub:
        first = resolve(hub_config(), HF_ENDPOINT=hub.endpoint)
    assert sorted(hub.fetched) == sorted(MODEL)
    assert first == resolve(hub_config(), HF_HUB_OFFLINE="1")


def test_code_on_the_hub_is_refused_before_weights_are_fetched(hub_config, cache, online):
    with serving(MODEL | CODE) as hub, pytest.raises(RunError, match=r"code of its own \(modeling_tiny\.py, auto_map"):
        online(hub, hub_config())
    assert "config.json" in hub.fetched
    assert not [name for name in hub.fetched if name.endswith(".safetensors")]


def test_an_unknown_commit(hub_config, cache, online):
    with serving() as hub, pytest.raises(RunError, match=r"cannot be fetched.*Check model\.name_or_path"):
        online(hub, hub_config(revision="f" * 40))


def test_a_hub_that_is_out_of_reach(hub_config, cache, online):
    with serving() as hub:
        pass
    with pytest.raises(RunError, match="the hub is out of reach"):
        online(hub, hub_config())
