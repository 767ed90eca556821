"""Several adapters at once: loaded, probed, then the alias flips; removed only once idle."""

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from guerdon_serving.server.settings import Settings


@pytest.fixture(scope="module")
def busy(run_server, bundle, tmp_path_factory):
    return run_server(Settings(bundle.folder, bundles=tmp_path_factory.getbasetemp(), max_waiting=300))


@pytest.fixture
def load(busy, tmp_path_factory):
    def post(name, bundle, **fields):
        source = str(bundle.folder.relative_to(tmp_path_factory.getbasetemp()))
        return busy.http.post("/adapters", json={"name": name, "src": source, **fields})

    return post


def answer(server, model):
    """Return what tells one adapter from another: the first token's likeliest candidates."""
    answer = server.ask(model=model, max_tokens=1, logprobs=True, top_logprobs=5).json()
    return [round(token["logprob"], 3) for token in answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]]


def test_an_adapter_is_loaded_served_and_removed(busy, load, bundle, other_bundle):
    name = f"second@{other_bundle.digest12}"
    loaded = load("second", other_bundle)
    assert (loaded.status_code, loaded.json()["id"], loaded.json()["digest"]) == (200, name, other_bundle.id)
    assert answer(busy, name) == answer(busy, "second") != answer(busy, "tiny")
    assert {entry["id"] for entry in busy.http.get("/adapters").json()["adapters"]} == {f"tiny@{bundle.digest12}", name}
    assert busy.http.delete(f"/adapters/{name}").json() == {"id": name, "object": "model", "deleted": True}
    assert busy.ask(model="second").status_code == busy.ask(model=name).status_code == 404
    assert busy.http.delete(f"/adapters/{name}").status_code == 404
    assert list(busy.service.engine.policy.adapters) == [bundle.id]


def test_the_alias_flips_and_the_old_name_stays(busy, load, bundle, other_bundle):
    load("flip", bundle)
    before = answer(busy, "flip")
    load("flip", other_bundle)
    assert answer(busy, "flip") == answer(busy, f"flip@{other_bundle.digest12}") != before
    assert answer(busy, f"flip@{bundle.digest12}") == before
    load("flip", bundle)
    assert answer(busy, "flip") == before
    for digest in (bundle.digest12, other_bundle.digest12):
        assert busy.http.delete(f"/adapters/flip@{digest}").status_code == 200
    assert busy.ask(model="flip").status_code == 404


def test_200_requests_over_a_swap_are_all_answered_by_the_one_they_named(busy, load, bundle, other_bundle):
    load("swap", bundle)
    allowed = {bundle.id, other_bundle.id}

    def ask(index):
        model = ("swap", "tiny", "base", f"swap@{bundle.digest12}")[index % 4]
        response = busy.ask(model=model, max_tokens=2)
        return model, response.status_code, response.headers.get("x-guerdon-bundle")

    with ThreadPoolExecutor(32) as pool:
        futures = [pool.submit(ask, index) for index in range(200)]
        assert load("swap", other_bundle).status_code == 200
        results = [future.result() for future in futures]
    assert {status for _, status, _ in results} == {200}
    assert {digest for model, _, digest in results if model == "tiny"} == {bundle.id}
    assert {digest for model, _, digest in results if model == "base"} == {bundle.facts.base.revision}
    assert {digest for model, _, digest in results if "@" in model} == {bundle.id}
    assert {digest for model, _, digest in results if model == "swap"} <= allowed
    assert busy.ask(model="swap").headers["x-guerdon-bundle"] == other_bundle.id
    for digest in (bundle.digest12, other_bundle.digest12):
        busy.http.delete(f"/adapters/swap@{digest}")


def test_an_adapter_in_use_is_removed_after_its_last_answer(busy, load, other_bundle):
    load("leaving", other_bundle)
    gate, started = threading.Event(), threading.Event()
    busy.service.engine.call(lambda: (started.set(), gate.wait(30)))
    assert started.wait(30)
    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(busy.ask, model="leaving", max_tokens=2)
        while busy.service.in_flight == 0:
            pass
        removed = pool.submit(busy.http.delete, f"/adapters/leaving@{other_bundle.digest12}")
        while "leaving" in busy.service.aliases:
            pass
        assert busy.ask(model="leaving").status_code == 404
        gate.set()
        assert (asked.result().status_code, removed.result().status_code) == (200, 200)
    assert other_bundle.id not in busy.service.engine.policy.adapters


def test_what_the_server_was_started_with_cannot_be_removed(busy, load, bundle, other_bundle):
    assert busy.http.delete(f"/adapters/tiny@{bundle.digest12}").status_code == 409
    assert busy.http.delete("/adapters/base").status_code == 409
    load("pinned", other_bundle, pin=True)
    assert busy.http.delete("/adapters/pinned").status_code == 409
    del busy.service.served[f"pinned@{other_bundle.digest12}"], busy.service.aliases["pinned"]
    busy.service.engine.call(lambda: busy.service.engine.policy.detach(other_bundle.id)).result(30)


def test_a_bad_bundle_is_refused_and_the_alias_stays(busy, load, bundle, tmp_path):
    folder = shutil.copytree(bundle.folder, tmp_path / "spoiled")
    (folder / "adapter/adapter_model.safetensors").write_bytes(b"")
    spoiled = type(bundle)(folder, bundle.id, bundle.facts)
    response = load("tiny", spoiled)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "file.changed")
    assert busy.service.aliases["tiny"] == f"tiny@{bundle.digest12}"


def test_an_adapter_that_fails_its_probes_leaves_nothing_behind(busy, load, forge, bundle, other_bundle):
    forge.set("probes.image.adapter.0.logprob", -9.0)
    forged = type(bundle)(forge.folder, "", bundle.facts)
    before = list(busy.service.engine.policy.adapters)
    response = load("forged", forged)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "probe.mismatch")
    assert busy.ask(model="forged").status_code == 404
    assert list(busy.service.engine.policy.adapters) == before


def test_a_bundle_for_another_base_is_refused(busy, load, make_run, make_adapter, base_folder, tmp_path):
    from guerdon_serving.export import export_bundle

    other = shutil.copytree(base_folder, tmp_path / "base2")
    (other / "generation_config.json").write_text('{"eos_token_id": 1}\n', encoding="utf-8")
    run = make_run(other, tmp_path / "run")
    make_adapter(other, run / "adapter")
    response = load("foreign", export_bundle(run))
    assert (response.status_code, response.json()["error"]["code"]) == (400, "base.mismatch")


def test_bundles_come_from_the_allowed_folder_only(busy, server, run_server, bundle, base_folder):
    def post(target, **body):
        return target.http.post("/adapters", json={"name": "x", **body}).status_code

    assert post(busy, src="../../etc") == 403
    assert post(busy, src="/etc") == 403
    assert post(busy, src="no/such/bundle") == 400
    with run_server(Settings(bundle.folder)) as closed:
        assert post(closed, src=".") == 403
    assert busy.http.post("/adapters", json={"name": "base", "src": "."}).status_code == 400
    assert busy.http.post("/adapters", json={"name": "a@b", "src": "."}).status_code == 400
    assert busy.http.post("/adapters", json={"name": "a", "src": ".", "preload": False}).status_code == 400


def test_only_so_many_fit(run_server, bundle, other_bundle, tmp_path_factory):
    root = tmp_path_factory.getbasetemp()
    source = str(other_bundle.folder.relative_to(root))
    with run_server(Settings(bundle.folder, bundles=root, max_adapters=1)) as full:
        assert full.http.post("/adapters", json={"name": "more", "src": source}).status_code == 409


def test_loading_and_unloading_does_not_grow(busy, load, other_bundle):
    process = psutil.Process(os.getpid())

    def cycle():
        assert load("cycle", other_bundle).status_code == 200
        assert busy.http.delete(f"/adapters/cycle@{other_bundle.digest12}").status_code == 200

    for _ in range(3):
        cycle()
    before = process.memory_info().rss
    for _ in range(8):
        cycle()
    assert process.memory_info().rss < before * 1.05
    assert list(busy.service.engine.policy.model.peft_config) == list(busy.service.engine.policy.adapters)
