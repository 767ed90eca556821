import contextlib
import queue
import threading

import pytest
import uvicorn
from tests.core.report.chromium import start
from tests.core.review.built_runs import HONEST, build_run

from guerdon.view.app import Viewed, create_app
from guerdon.view.serve import Server


@contextlib.contextmanager
def served(folder, token=None):
    """Serve a run on a free port and give its address."""
    config = uvicorn.Config(create_app(Viewed(folder), token), port=0, log_level="error", lifespan="off")
    server, ready = Server(config), queue.Queue()
    server.on_ready = ready.put
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield ready.get(timeout=60)
    finally:
        server.should_exit = True
        thread.join(timeout=60)


@pytest.fixture(scope="session")
def serve():
    return served


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A run with 40 training groups and two evaluations of 12 prompts."""
    return build_run(tmp_path_factory.mktemp("viewed") / "run", chances=HONEST, steps=5, prompts=8)


@pytest.fixture(scope="session")
def address(folder):
    with served(folder) as found:
        yield found


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    opened = start(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()
