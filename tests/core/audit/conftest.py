import pytest
from tests.core.review import built_runs

SMALL = {"steps": 20, "prompts": 12, "held_out": 4, "evaluations": (0,)}


@pytest.fixture(scope="session")
def hacked(tmp_path_factory):
    """The folder of a run whose format climbs while its outcome falls."""
    chances = {"answer": built_runs.rises(0.7, 0.1), "shape": built_runs.rises(0.1, 1.0)}
    return built_runs.build_run(tmp_path_factory.mktemp("hacked") / "run", chances=chances, **SMALL)


@pytest.fixture(scope="session")
def clean(tmp_path_factory):
    """The folder of a run that learns."""
    chances = {"answer": built_runs.rises(0.2, 0.9), "shape": built_runs.rises(0.8, 0.9)}
    return built_runs.build_run(tmp_path_factory.mktemp("clean") / "run", chances=chances, **SMALL)


@pytest.fixture(scope="session")
def undeclared(tmp_path_factory):
    """The folder of a run without an outcome."""
    return built_runs.build_run(tmp_path_factory.mktemp("undeclared") / "run", outcome=None, **SMALL)
