"""Keys are found where others could read them, and are not taken for what they are not."""

import pytest

from guerdon import ConfigError
from guerdon_trainer.jobs.secrets import environment, refuse_keys

KEYS = [
    "AKIA" + "ABCDEFGHIJKLMNOP",
    "hf_" + "abcdefghijklmnopqrstuvwxyz",
    "sk-" + "proj-abcdefghijklmnopqrst",
    "ghp_" + "a" * 36,
    "xoxb-" + "1234567890-abc",
    "eyJhbGciOiJI" + ".eyJzdWIiOiIx" + ".SflKxwRJSMeKKF2QT4",
    "-----BEGIN RSA PRIVATE" + " KEY-----",
    "postgres://user:" + "hunter22@host/db",
    "skyrl.wandb_api_key=" + "0123456789abcdef",
    "aws_secret_access_key: " + "abcdefghijklmnop",
    "PASSWORD=" + "correcthorse",
]

HARMLESS = [
    "guerdon train run.yaml algorithm.max_completion_tokens=512 model.revision=" + "0a" * 20,
    "rewards: {safe: {use: safety}}",
    "secret: guerdon-keys",
    "https://huggingface.co/org/model",
    "api_key: ${OPENAI_API_KEY}",
    "rewards.brief.max_tokens=100000000",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_refused_and_not_repeated(key):
    with pytest.raises(ConfigError) as caught:
        refuse_keys(f"first: line\nmodel: x {key}", "run.yaml")
    message = str(caught.value)
    assert message.startswith("run.yaml, line 2, holds what looks like ")
    assert "--env NAME" in message
    assert key not in message


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_key_passes(text):
    refuse_keys(text, "run.yaml")


def test_variables_are_named_and_looked_up(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "value")
    assert environment(["HF_TOKEN"]) == {"HF_TOKEN": "value"}


def test_a_value_in_place_of_a_name_is_refused_and_not_repeated():
    with pytest.raises(ConfigError, match="takes the name of a variable") as caught:
        environment(["HF_TOKEN=hunter2"])
    assert "hunter2" not in str(caught.value)


def test_a_variable_that_is_not_there(monkeypatch):
    monkeypatch.delenv("GONE", raising=False)
    with pytest.raises(ConfigError, match="--env GONE: there is no such variable"):
        environment(["GONE"])
