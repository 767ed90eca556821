"""The server as a process: it listens before it has loaded, and SIGTERM loses nothing that was accepted."""

import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.server.run import serve
from guerdon_serving.server.settings import Settings

PROGRAM = """
import sys
from pathlib import Path
from guerdon_serving.commands import offline
offline()
from guerdon_serving.export import export_bundle
from guerdon_serving.server.run import serve
from guerdon_serving.server.settings import Settings
run, output, port = sys.argv[1:]
bundle = export_bundle(Path(run), Path(output))
print(bundle.id, flush=True)
serve(Settings(bundle.folder, port=int(port), threads=1))
print("drained", flush=True)
"""


@pytest.fixture
def port():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def wait_until_ready(url, process):
    statuses = set()
    for _ in range(3000):
        assert process.poll() is None
        try:
            statuses.add(status := httpx.get(f"{url}/ping").status_code)
        except httpx.TransportError:
            status = None
        if status == 200:
            return statuses
        time.sleep(0.1)
    raise AssertionError("never ready")


def test_another_process_exports_the_same_bundle_serves_it_and_drains(run_folder, bundle, tmp_path, port):
    shutil.copyfile(run_folder / "run.json", tmp_path / "run.json")  # names the base to a bundle beside it
    arguments = [sys.executable, "-c", PROGRAM, str(run_folder), str(tmp_path / "bundle"), str(port)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        url = f"http://127.0.0.1:{port}"
        try:
            wait_until_ready(url, process)
            body = {"messages": [{"role": "user", "content": "hi"}], "temperature": 5, "max_tokens": 100, "seed": 1}

            def ask():
                return httpx.post(f"{url}/v1/chat/completions", json=body, timeout=60).status_code

            with ThreadPoolExecutor(12) as pool:
                asked = [pool.submit(ask) for _ in range(12)]
                while "guerdon_in_flight 12.0" not in httpx.get(f"{url}/metrics").text:
                    time.sleep(0.02)
                process.send_signal(signal.SIGTERM)
                assert [future.result() for future in asked] == [200] * 12
            output, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0
    assert output.split() == [bundle.id, "drained"]


def test_a_bad_bundle_ends_the_process_with_its_refusal(tmp_path):
    with pytest.raises(RefusedError) as caught:
        serve(Settings(tmp_path, port=0))
    assert caught.value.code is Code.BUNDLE_MISSING
