"""Addresses go to Ray's client as they are, and what does not answer is told with the remedy."""

import json
import sys
import types

import pytest
import typer
from tests.trainer.jobs.server import Server
from tests.trainer.ray_nodes import free_ports

from guerdon import RunError
from guerdon_trainer.jobs import client, commands, connect


@pytest.fixture
def server(monkeypatch):
    """A job server in memory; what it was reached by is in `addresses`."""
    server = Server()
    server.addresses = []

    def connect(address):
        server.addresses.append(address)
        return server

    monkeypatch.setattr(client, "connect", connect)
    return server


@pytest.mark.parametrize("address", ["http://127.0.0.1:8265", "sagemaker_ray://cluster/namespace", None])
def test_an_address_is_passed_on_untouched(monkeypatch, address):
    seen = []
    monkeypatch.setattr("ray.job_submission.JobSubmissionClient", seen.append)
    connect(address)
    assert seen == [address]


def test_rays_client_asks_a_schemes_own_module(monkeypatch):
    module, seen = types.ModuleType("sagemaker_ray"), []

    def find(address, **_):
        seen.append(address)
        raise RuntimeError("no such cluster")

    module.get_job_submission_client_cluster_info = find
    monkeypatch.setitem(sys.modules, "sagemaker_ray", module)
    with pytest.raises(RunError, match=r"no Ray job server at sagemaker_ray://cluster/namespace: no such cluster"):
        connect("sagemaker_ray://cluster/namespace")
    assert seen == ["cluster/namespace"]


def test_a_scheme_that_is_not_installed_names_the_package():
    with pytest.raises(RunError, match="pip install toolkit-for-ray-on-sagemaker-ai"):
        connect("sagemaker_ray://cluster/namespace")


def test_nobody_there():
    (port,) = free_ports(1)
    with pytest.raises(RunError, match=rf"no Ray job server at http://127\.0\.0\.1:{port}: .*port-forward"):
        connect(f"http://127.0.0.1:{port}")


def test_submit_says_what_and_how_to_go_on(server, work, capsys):
    commands.submit(work(), ["runtime.steps=7"], address="http://x")
    told = capsys.readouterr().err
    assert told.startswith("submitted chart-qa-1: guerdon train run.yaml runtime.steps=7\n")
    assert "guerdon jobs logs chart-qa-1 --follow" in told
    assert server.addresses == ["http://x"]


@pytest.mark.parametrize(("status", "driver", "code"), [("RUNNING", None, 0), ("FAILED", 4, 4), ("SUCCEEDED", 0, 0)])
def test_status_exits_with_the_jobs_code(server, capsys, status, driver, code):
    server.add("a-1", {"guerdon_run": "a"}, status=status, code=driver)
    with pytest.raises(typer.Exit) as left:
        commands.status("a-1", as_json=True)
    assert left.value.exit_code == code
    told = json.loads(capsys.readouterr().out)
    assert (told["id"], told["run"], told["status"]) == ("a-1", "a", status)


def test_the_list_is_a_table_of_one_run_or_all(server, capsys):
    server.add("a-1", {"guerdon_run": "a"}, status="FAILED", code=2)
    server.add("b-1", None)
    commands.list_()
    shown = capsys.readouterr().out
    assert all(text in shown for text in ("a-1", "FAILED", "b-1", "RUNNING"))
    commands.list_(run="a")
    assert "b-1" not in capsys.readouterr().out


def test_ctrl_c_leaves_the_job_alone(server, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("guerdon_trainer.jobs.log.follow", interrupted)
    server.add("a-1")
    with pytest.raises(typer.Exit) as left:
        commands.logs("a-1", follow=True)
    assert left.value.exit_code == 130
    assert "a-1 goes on; `guerdon jobs logs a-1 --follow` reconnects" in capsys.readouterr().err
    assert server.jobs["a-1"].status == "RUNNING"


def test_a_server_that_fails_is_an_error_of_ours(server, monkeypatch):
    def broken():
        raise RuntimeError("Request failed with status code 500: oh")

    monkeypatch.setattr(server, "list_jobs", broken)
    with pytest.raises(RunError, match="the job server at http://x fails: Request failed with status code 500"):
        commands.list_(address="http://x")
