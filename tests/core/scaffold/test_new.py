"""``guerdon rewards new``: what it writes is a plugin that passes its own test."""

import json
import subprocess
import sys
import zipfile

import pytest
import typer
from typer.testing import CliRunner

from guerdon import ConfigError, load_plugins
from guerdon.config import build_config
from guerdon.scaffold import new_file, new_package
from guerdon.scaffold.commands import register
from guerdon.testing import check_reward, read_cases


def test_a_built_wheel_of_the_package_is_found(tmp_path, monkeypatch):
    package = new_package("sky_colour", tmp_path)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=package, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("guerdon_sky_colour-0.1.0-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    plugins = load_plugins()
    entry = plugins.entry("sky_colour")
    assert (entry.origin, entry.version, entry.reward.__name__) == ("guerdon-sky-colour", "0.1.0", "SkyColour")
    assert len(entry.code_hash) == 64
    report = check_reward(entry.reward(), read_cases(package / "tests" / "gold.jsonl"))
    assert report.ok, report.failures()
    config, _ = build_config(
        {
            "run": {"name": "t"},
            "model": {"name_or_path": "./m"},
            "data": {"train_manifest": "t.jsonl"},
            "outcome": "mine",
            "rewards": {"mine": {"use": "sky_colour", "ignore_case": False}},
        }
    )
    assert config.rewards["mine"].ignore_case is False


def test_the_package_s_own_test_passes(tmp_path):
    package = new_package("my_reward", tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command,
        cwd=package,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout


def test_what_is_written_is_formatted_and_typed(tmp_path):
    package = new_package("my_reward", tmp_path)
    source = package / "src" / "guerdon_my_reward"
    assert (source / "py.typed").exists()
    for tool in (
        ["ruff", "check", "--isolated", "--line-length", "120"],
        ["ruff", "format", "--check", "--isolated", "--line-length", "120"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *tool, str(package)], check=False, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stdout
    assert "$" not in (package / "README.md").read_text()
    for line in (package / "tests" / "gold.jsonl").read_text().splitlines():
        assert json.loads(line)["reference"]["type"] == "exact"


def test_a_file_is_a_plugin_as_well(tmp_path):
    path = new_file("afternoon", tmp_path)
    entry = load_plugins([path]).entry("afternoon")
    assert entry.origin == str(path)


@pytest.mark.parametrize("write", [new_package, new_file])
def test_nothing_is_overwritten(write, tmp_path):
    first = write("my_reward", tmp_path)
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    with pytest.raises(ConfigError, match=f"{first.name} exists"):
        write("my_reward", tmp_path)
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("My-reward", "letter first; try my_reward$"),
        ("7up", "letter first$"),
        ("", "letter first$"),
        ("class", "letter first$"),
        ("../evil", "try evil$"),
        ("a" * 51, "letter first$"),
        ("correctness", "installed already, from guerdon"),
    ],
)
def test_a_name_that_will_not_do(name, said, tmp_path):
    with pytest.raises(ConfigError, match=said):
        new_package(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_to_do_next(tmp_path):
    app = typer.Typer()
    app.callback()(lambda: None)
    register(app)
    done = CliRunner().invoke(app, ["new", "my_reward", "--into", str(tmp_path)])
    assert done.output.splitlines()[0] == f"wrote {tmp_path / 'my_reward'}"
    assert "pip install -e" in done.output
    done = CliRunner().invoke(app, ["new", "other", "--file", "--into", str(tmp_path)])
    assert "plugins: [./other.py]" in done.output
