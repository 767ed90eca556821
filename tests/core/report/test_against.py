import pytest

from guerdon import ConfigError, LedgerError
from guerdon.report.against import read_against
from guerdon.review import open_run


@pytest.fixture(scope="module")
def base(built, tmp_path_factory):
    return built.build_run(tmp_path_factory.mktemp("base") / "run", steps=0, evaluations=(0,), seed=1)


def test_the_runs_own_evaluations_come_last(honest, base):
    found = read_against(open_run(honest), [f"base={base}"])
    assert found["sides"] == ["base", "before training (step 0)", "after training (step 5)"]
    assert [(one["before"], one["after"]) for one in found["contrasts"]] == [
        ("base", "before training (step 0)"),
        ("before training (step 0)", "after training (step 5)"),
        ("base", "after training (step 5)"),
    ]
    assert found["prompts"] == 12


def test_an_own_evaluation_may_have_a_name(honest, base):
    names = [f"base={base}", f"SFT={honest}@first", f"GRPO={honest}@last"]
    assert read_against(open_run(honest), names)["sides"] == ["base", "SFT", "GRPO"]


def test_nothing_named_is_nothing_compared(honest):
    assert read_against(open_run(honest), []) is None


@pytest.mark.parametrize("text", ["base", "=run", "base="])
def test_a_name_is_needed(honest, text):
    with pytest.raises(ConfigError, match="write NAME=RUN"):
        read_against(open_run(honest), [text])


def test_names_differ(honest, base):
    with pytest.raises(ConfigError, match="names a twice"):
        read_against(open_run(honest), [f"a={base}", f"a={honest}@first"])


def test_an_evaluation_must_exist(honest, tmp_path):
    with pytest.raises(LedgerError, match="holds no ledger"):
        read_against(open_run(honest), [f"base={tmp_path}"])
    with pytest.raises(ConfigError, match="no evaluation at step 3"):
        read_against(open_run(honest), [f"base={honest}@3"])
