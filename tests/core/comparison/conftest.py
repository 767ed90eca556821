import pytest
from tests.core.review import built_runs

from guerdon import Record, Status


def judged(right, strict=None, boxes=None, broken=""):
    """A judge of evaluations: shares of prompts that are right before and after, by the last digits of their id."""

    def judge(sample, component, phase, step):
        if phase == "train":
            return None
        number = int(sample.group_id[-2:])
        after = int(step > 0)
        if component == "answer":
            lenient = float(number % 10 < right[after])
            kept = float(number % 10 < (strict or right)[after])
            return Record(sample.id, component, Status.OK, kept, metrics={"strict": kept, "lenient": lenient})
        value = float(number % 10 < (boxes or (5, 5))[after])
        return Record(sample.id, component, Status.OK, value)

    return judge


def run_of(folder, **changes):
    options = {"steps": 1, "evaluations": (0, 1), "held_out": 60, "prompts": 4, "group": 2}
    return built_runs.build_run(folder, **(options | changes))


@pytest.fixture(scope="session")
def gained(tmp_path_factory):
    """A run whose outcome rises from 0.3 to 0.8 on its 60 held-out prompts."""
    return run_of(tmp_path_factory.mktemp("gained") / "run", judge=judged((3, 8)))


@pytest.fixture(scope="session")
def styled(tmp_path_factory):
    """A run whose answers are only better placed."""
    return run_of(tmp_path_factory.mktemp("styled") / "run", judge=judged((8, 8), strict=(3, 8)))


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """A run with too few prompts, whose boxes gain."""
    return run_of(tmp_path_factory.mktemp("small") / "run", judge=judged((5, 6)), held_out=20)
