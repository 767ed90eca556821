"""Shared by the quickstart's tests: one untrained model, made once."""

import pytest

from guerdon_trainer.quickstart.sft import new_student


@pytest.fixture(scope="session")
def student():
    return new_student(seed=0)
