import os
import re
import signal
import subprocess
import sys

import httpx
import pytest
import typer
from typer.testing import CliRunner

from guerdon import ConfigError, LedgerError
from guerdon.view import commands
from guerdon.view.guard import is_loopback

VIEW = "import sys; from guerdon.cli import main; sys.argv[0] = 'guerdon'; main()"


def test_the_command_serves_until_interrupted(folder):
    environment = {**os.environ, "GUERDON_VIEW_TOKEN": "it's a secret"}
    command = [sys.executable, "-c", VIEW, "view", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            line = process.stdout.readline()
            address = re.fullmatch(r"made-up at (http://127\.0\.0\.1:\d+/)\?token=(.*)\n", line)
            assert httpx.get(address[1], timeout=60).status_code == 401
            assert httpx.get(address[1], params={"token": "it's a secret"}, timeout=60).status_code == 303
            query = httpx.URL(f"{address[1]}?token={address[2]}")
            assert httpx.get(query, timeout=60).status_code == 303
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) in (0, 130, -signal.SIGINT)


def call(*arguments):
    app = typer.Typer()
    commands.register(app)
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def test_a_run_without_a_ledger_is_refused(tmp_path):
    with pytest.raises(LedgerError, match="holds no ledger"):
        call(tmp_path)


def test_a_missing_package_is_named(monkeypatch, folder):
    monkeypatch.setattr(commands, "find_spec", lambda _: None)
    with pytest.raises(ConfigError, match=r"pip install 'guerdon\[view\]'"):
        call(folder)


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("", False), ("node7", False)],
)
def test_loopback_is_told_apart(host, local):
    assert is_loopback(host) is local


def test_adding_the_command_imports_nothing_heavy():
    check = "import sys, guerdon.view.commands; assert not {'fastapi', 'uvicorn', 'duckdb'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)
