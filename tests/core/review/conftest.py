import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("guerdon", deadline=None)
settings.load_profile("guerdon")


def load():
    """Import the builder of made-up runs, which two folders of tests share."""
    if "built_runs" not in sys.modules:
        path = Path(__file__).with_name("built_runs.py")
        spec = importlib.util.spec_from_file_location("built_runs", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["built_runs"] = module
        spec.loader.exec_module(module)
    return sys.modules["built_runs"]


@pytest.fixture(scope="session")
def built():
    return load()


@pytest.fixture(scope="session")
def honest(built, tmp_path_factory):
    """The folder of a run that learns."""
    return built.build_run(tmp_path_factory.mktemp("honest") / "run")
