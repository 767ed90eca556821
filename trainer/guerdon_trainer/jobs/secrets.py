"""Keys where everybody can read them: command lines, metadata, files that travel with a job."""

import os
import re
from collections.abc import Iterable

from guerdon import ConfigError

KEYS = {
    "an AWS access key": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a Hugging Face token": re.compile(r"\bhf_[A-Za-z0-9]{20,}"),
    "an API key": re.compile(r"\bsk-[A-Za-z0-9_-]{20,}"),
    "a GitHub token": re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
    "a Slack token": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    "a signed token": re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "a password in a URL": re.compile(r"\b[a-z][a-z0-9+.-]*://[^/\s:@]+:[^/\s@]+@"),
    "a key by its name": re.compile(
        r"(?i)\b[\w.-]*(?:api_?key|secret_?(?:access_?)?key|client_?secret|auth_?token|access_?token|password|passwd)"
        r"['\"]?\s*[=:]\s*['\"]?[^\s'\"{}$]{8,}"
    ),
}
"""What a key looks like, by the formats that their issuers document."""


def refuse_keys(text: str, where: str) -> None:
    """Refuse a text that holds what looks like a key; the key itself is not repeated.

    Raises:
        ConfigError: says what it looks like and where it stands.
    """
    for number, line in enumerate(text.splitlines(), 1):
        for what, pattern in KEYS.items():
            if pattern.search(line):
                raise ConfigError(
                    f"{where}, line {number}, holds what looks like {what}, and would be readable on the cluster. "
                    "Take it out, put it into the environment and name the variable: --env NAME"
                )


def environment(names: Iterable[str]) -> dict[str, str]:
    """Return the values of variables of this process's environment.

    Raises:
        ConfigError: a value was given in place of a name, or there is no such variable.
    """
    found: dict[str, str] = {}
    for name in names:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise ConfigError(
                f"--env takes the name of a variable, never its value; found {name.partition('=')[0]!r} and more. "
                "Export it, then write --env NAME"
            )
        if name not in os.environ:
            raise ConfigError(f"--env {name}: there is no such variable in this environment; export it first")
        found[name] = os.environ[name]
    return found
