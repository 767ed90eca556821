"""A run becomes a submission: checked, packed, readable, and free of keys."""

import pytest
from tests.trainer.jobs.server import Server

from guerdon import ConfigError, RunError
from guerdon_trainer.jobs import client, prepare, submit


def test_the_submission_of_a_run(work, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hunter2")
    config = work()
    made = prepare(config, ["runtime.steps=7", "rewards.one={weight: 2}"], env=["HF_TOKEN"])
    assert made.run == "chart-qa"
    assert made.entrypoint == "guerdon train run.yaml runtime.steps=7 'rewards.one={weight: 2}'"
    assert made.folder == config.parent
    assert made.variables == {"HF_TOKEN": "hunter2"}
    assert "hunter2" not in repr(made)


def test_what_the_server_gets(work, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hunter2")
    server = Server()
    assert submit(server, prepare(work(), env=["HF_TOKEN"])) == "chart-qa-1"
    (asked,) = server.asked
    assert asked["metadata"]["guerdon_run"] == "chart-qa"
    assert asked["runtime_env"]["env_vars"] == {"HF_TOKEN": "hunter2"}
    assert "hunter2" not in asked["entrypoint"] + str(asked["metadata"])


def test_a_wider_working_folder(work, tmp_path):
    assert prepare(work(), folder=tmp_path).entrypoint == "guerdon train work/run.yaml"


def test_a_run_is_submitted_again_after_it_ended(work):
    server = Server()
    for number, end in enumerate(["FAILED", "STOPPED", "SUCCEEDED"], 1):
        assert submit(server, prepare(work())) == f"chart-qa-{number}"
        server.end(f"chart-qa-{number}", end)
    runs = {asked["metadata"]["guerdon_run"] for asked in server.asked}
    hashes = {asked["metadata"]["guerdon_config"] for asked in server.asked}
    assert (len(runs), len(hashes)) == (1, 1)


def test_two_jobs_of_one_run_at_a_time_are_refused(work):
    server = Server()
    submit(server, prepare(work()))
    with pytest.raises(RunError, match=r"has a job that has not ended: chart-qa-1\. .*guerdon jobs stop chart-qa-1"):
        submit(server, prepare(work()))
    assert submit(server, prepare(work(), ["run.name=other"])) == "other-1"


def test_an_answer_that_is_lost_is_no_failure(work):
    server = Server()
    server.dropped = [(ConnectionError("reset"), True)]
    assert submit(server, prepare(work())) == "chart-qa-1"
    assert list(server.jobs) == ["chart-qa-1"]


def test_a_cluster_that_is_not_ready_yet_is_asked_again(work, monkeypatch):
    monkeypatch.setattr("guerdon_trainer.jobs.submission.PAUSE_S", 0)
    server = Server()
    server.dropped = [
        (RuntimeError("Request failed with status code 500: No available agent to submit job"), False)
    ] * 2
    assert submit(server, prepare(work())) == "chart-qa-1"
    assert len(server.asked) == 3


def test_a_server_that_refuses(work):
    server = Server()
    server.dropped = [(RuntimeError("no\nspace"), False)]
    with pytest.raises(RunError, match="did not take chart-qa-1: no space"):
        submit(server, prepare(work()))


def test_a_relative_output_folder_would_lose_the_checkpoints(work):
    with pytest.raises(ConfigError, match=r"runtime\.output_dir 'runs' is relative.*runtime\.output_dir=/fsx/runs"):
        prepare(work(runtime={"output_dir": "runs"}))


@pytest.mark.parametrize("place", ["override", "configuration", "plugin"])
def test_keys_are_refused_wherever_they_travel(work, place):
    key = "hf_" + "abcdefghijklmnopqrstuvwxyz"
    config = work(**({"skyrl": {"trainer.x": key}} if place == "configuration" else {}))
    if place == "plugin":
        plugin = config.parent / "ours.py"
        plugin.write_text(plugin.read_text() + f"\nTOKEN = '{key}'\n")
    overrides = [f"skyrl.trainer.x={key}"] if place == "override" else []
    with pytest.raises(ConfigError, match="looks like a Hugging Face token") as caught:
        prepare(config, overrides)
    assert key not in str(caught.value)


def test_a_wrong_configuration_is_refused_here_and_not_there(work):
    with pytest.raises(ConfigError, match=r"algorithm\.group_siz: no such field"):
        prepare(work(), ["algorithm.group_siz=4"])


@pytest.mark.parametrize(
    ("status", "driver", "code"),
    [
        ("SUCCEEDED", 0, 0),
        ("FAILED", 2, 2),
        ("FAILED", -9, 9),
        ("FAILED", None, 1),
        ("STOPPED", None, 143),
        ("RUNNING", None, None),
    ],
)
def test_exit_codes(status, driver, code):
    server = Server()
    server.add("a-1", status=status, code=driver)
    assert client.job(server, "a-1").code == code


def test_an_unknown_job_lists_the_known():
    server = Server()
    server.add("a-1")
    with pytest.raises(RunError, match=r"no job 'b-1' at this address; it knows a-1"):
        client.job(server, "b-1")


def test_a_job_that_has_ended_cannot_be_stopped():
    server = Server()
    server.add("a-1", status="SUCCEEDED")
    with pytest.raises(RunError, match="a-1 has ended already: SUCCEEDED"):
        client.stop(server, "a-1")
