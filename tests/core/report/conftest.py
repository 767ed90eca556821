import importlib.util
import sys
from pathlib import Path

import pytest
from tests.core.report.chromium import start


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    opened = start(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def built():
    """The builder of made-up runs."""
    if "built_runs" not in sys.modules:
        path = Path(__file__).parents[1] / "review" / "built_runs.py"
        spec = importlib.util.spec_from_file_location("built_runs", path)
        sys.modules["built_runs"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["built_runs"])
    return sys.modules["built_runs"]


@pytest.fixture(scope="session")
def honest(built, tmp_path_factory):
    """The folder of a run that learns."""
    return built.build_run(tmp_path_factory.mktemp("honest") / "run")
