"""The end of the quickstart: report, bundle, and one question to the served model.

Each is the command that a user would type, in a process of its own.
"""

import contextlib
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guerdon import RunError
from guerdon.manifest import Prompt, read_manifest
from guerdon_trainer.sampling import openai_messages

START_S = 120.0
"""Seconds that a server may take to answer its first ping."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One held-out question, put to the served adapter."""

    question: str
    answer: str
    truth: str
    model: str


def guerdon(*arguments: str) -> str:
    """Run a command of guerdon and return what it prints.

    Raises:
        RunError: it fails; the message holds its own.
    """
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "guerdon", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RunError(f"guerdon {' '.join(arguments)} failed:\n{done.stderr.strip()[-2000:]}")
    return done.stdout


@contextlib.contextmanager
def served(bundle: Path) -> Iterator[str]:
    """Serve a bundle on a free port of the loopback interface while the context lasts."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "guerdon", "serve", str(bundle), "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # noqa: S603
    try:
        _wait(server, f"http://127.0.0.1:{port}/ping")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=60)


def ask(url: str, alias: str, prompt: Prompt) -> Answered:
    """Put a prompt to the adapter served as ``<alias>@<digest>``, greedily."""
    with urllib.request.urlopen(f"{url}/v1/models", timeout=60) as response:  # noqa: S310 - our own server
        models = [model["id"] for model in json.load(response)["data"]]
    name = next((model for model in models if model.startswith(f"{alias}@")), None)
    if name is None:
        raise RunError(f"{url} serves {', '.join(models)}, and no {alias}@...")
    body = {"model": name, "messages": openai_messages(prompt), "temperature": 0.0, "max_tokens": 64}
    request = urllib.request.Request(  # noqa: S310
        f"{url}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
        answer = json.load(response)["choices"][0]["message"]["content"]
    return Answered(_question(prompt), answer, str(prompt.reference.get("answer")), name)


def held_out_picture(manifest: Path) -> Prompt:
    """Return the first prompt with one picture."""
    return next(prompt for prompt in read_manifest(manifest) if len(prompt.images) == 1)


def _question(prompt: Prompt) -> str:
    content: Any = prompt.messages[-1]["content"]
    return " ".join(part["text"] for part in content if part["type"] == "text")


def _wait(server: "subprocess.Popen[str]", url: str) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RunError(f"guerdon serve ended: {server.stderr.read()[-2000:] if server.stderr else ''}")
        with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(url, timeout=2):  # noqa: S310
            return
        time.sleep(0.2)
    raise RunError(f"guerdon serve did not answer {url} within {START_S:g} s")
