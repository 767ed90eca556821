"""Ray's own job server on loopback: submit, follow, fail, submit again, stop, list."""

import json
import os
import time

import pytest
import typer
from tests.trainer.ray_nodes import free_ports, start_nodes, stop_nodes

from guerdon import RunError
from guerdon_trainer.jobs import commands

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:ssl=None is deprecated:DeprecationWarning"),  # how Ray 2.57 calls aiohttp
]

TRAINING = """#!/bin/sh
# Stands in for `guerdon train`: goes on where it was, fails the first time, waits when it is told to.
out="$OUTPUT/chart-qa"
mkdir -p "$out"
echo "asked for $*"
echo "plugin of $(wc -l <ours.py) lines, manifest of $(wc -l <data/train.jsonl), key of ${#SECRET_KEY} characters"
[ -e "$out/step" ] && echo "resumes from step $(cat "$out/step")"
echo 7 >"$out/step"
case "$*" in
    *steps=3*) echo "fails" && exit 3 ;;
    *steps=9*) echo "waits" && exec sleep 300 ;;
esac
echo "done"
"""


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def address(tmp_path_factory, output):
    """The address of a head whose `guerdon` is the stand-in."""
    programs = tmp_path_factory.mktemp("bin")
    (programs / "guerdon").write_text(TRAINING)
    (programs / "guerdon").chmod(0o755)
    (port,) = free_ports(1)
    head = {
        "num_cpus": 1,
        "include_dashboard": True,
        "dashboard_host": "127.0.0.1",
        "dashboard_port": port,
        "env_vars": {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "OUTPUT": str(output)},
    }
    cluster = start_nodes(head)
    try:
        _wait_for_server(f"http://127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}"
    finally:
        stop_nodes(cluster)


def _wait_for_server(url):
    deadline = time.monotonic() + 120
    while True:
        try:
            commands.list_(address=url, as_json=True)
        except RunError:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)
        else:
            return


def code_of(command, *arguments, **options):
    with pytest.raises(typer.Exit) as left:
        command(*arguments, **options)
    return left.value.exit_code


def test_a_run_fails_is_submitted_again_and_resumes(address, work, output, capsys, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "correct horse")
    config = work(runtime={"output_dir": str(output)})
    asked = {"address": address, "env": ["SECRET_KEY"], "follow": True}
    assert code_of(commands.submit, config, ["runtime.steps=3"], **asked) == 3
    first = capsys.readouterr()
    lines = len((config.parent / "ours.py").read_text().splitlines())
    assert "asked for train run.yaml runtime.steps=3\n" in first.out
    assert f"plugin of {lines} lines, manifest of 1, key of 13 characters\n" in first.out
    assert "submitted chart-qa-1: guerdon train run.yaml runtime.steps=3" in first.err
    assert "resumes" not in first.out
    assert code_of(commands.submit, config, ["runtime.steps=4"], **asked) == 0
    second = capsys.readouterr()
    assert "resumes from step 7\ndone" in second.out
    assert "chart-qa-2 SUCCEEDED" in second.err

    commands.list_(address=address, as_json=True)
    listed = json.loads(capsys.readouterr().out)
    assert [(job["id"], job["run"], job["status"], job["code"]) for job in listed] == [
        ("chart-qa-1", "chart-qa", "FAILED", 3),
        ("chart-qa-2", "chart-qa", "SUCCEEDED", 0),
    ]
    assert "correct horse" not in json.dumps(listed)
    assert code_of(commands.status, "chart-qa-1", address=address) == 3
    assert capsys.readouterr().err.startswith("chart-qa-1 FAILED ")
    commands.logs("chart-qa-1", address=address)
    assert capsys.readouterr().out == first.out


def test_a_running_job_is_alone_and_can_be_stopped(address, work, output, capsys):
    config = work(run={"name": "long"}, runtime={"output_dir": str(output)})
    commands.submit(config, ["runtime.steps=9"], address=address)
    assert "guerdon jobs logs long-1 --follow" in capsys.readouterr().err
    with pytest.raises(RunError, match=r"run long has a job that has not ended: long-1"):
        commands.submit(config, ["runtime.steps=9"], address=address)
    commands.stop("long-1", address=address)
    assert code_of(commands.logs, "long-1", address=address, follow=True) == 143
    assert "long-1 STOPPED" in capsys.readouterr().err


def test_an_unknown_job(address):
    with pytest.raises(RunError, match=r"no job 'gone-1' at this address; it knows "):
        commands.status("gone-1", address=address)
