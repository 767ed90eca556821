"""One uninterrupted run, shared by the tests of this folder: starting Ray takes longer than training."""

import pytest
from tests.e2e.chain import Run, train, write_config


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Run:
    return train(write_config(tmp_path_factory.mktemp("finished")))
