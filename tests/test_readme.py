"""The README's snippets do what it says."""

import re
from pathlib import Path

import pytest

from guerdon import Abstain, Sample, load_plugins
from guerdon.config import load_config

README = Path(__file__).parents[1] / "README.md"


def snippet(name: str) -> str:
    """The fenced block that follows ``<!-- tested: name -->``."""
    found = re.search(rf"<!-- tested: {name} -->\n```\w+\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found, f"README.md has no block marked {name}"
    return found[1]


@pytest.fixture
def project(tmp_path) -> Path:
    (tmp_path / "my_rewards.py").write_text(snippet("plugin"))
    (tmp_path / "run.yaml").write_text(snippet("config"))
    (tmp_path / "qwen3-vl-8b").mkdir()
    return tmp_path


def test_the_plugin_scores(project):
    reward = load_plugins([project / "my_rewards.py"]).entry("keyword_coverage").reward(minimum=0.6)
    sample = Sample("s", "a red square", reference={"keywords": ["red", "square", "big"]})
    assert reward.score(sample).value == pytest.approx(2 / 3)
    assert reward.score(sample).evidence == {"found": ["red", "square"]}
    assert reward.score(Sample("s", "a red circle", reference={"keywords": ["red", "square"]})).value == 0.0
    assert isinstance(reward.score(Sample("s", "x")), Abstain)


def test_the_configuration_loads(project):
    config, _ = load_config(project / "run.yaml")
    assert list(config.rewards) == ["answer", "boxes", "shape", "brief", "safe", "keywords"]
    assert config.outcome == "answer"
    assert config.mini_batch_prompts == 16
    assert config.rewards["keywords"].role == "monitor"


def test_every_command_named_exists():
    from typer.testing import CliRunner

    from guerdon.cli import build

    app = build()
    for command in re.findall(r"`guerdon ([a-z]+(?: [a-z]+)?)[ `]", README.read_text(encoding="utf-8")):
        result = CliRunner().invoke(app, [*command.split(), "--help"])
        assert result.exit_code == 0, f"guerdon {command}: {result.output}"
