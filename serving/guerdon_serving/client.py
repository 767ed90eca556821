"""Asking a running server what its bundle promises: the level *serve* of verification."""

import base64
import io
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from PIL import Image

from guerdon_serving.bundle.read import Bundle
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model.probes import TOLERANCE, TOP, Probe, make_probes
from guerdon_serving.server.chat import BUNDLE_HEADER
from guerdon_serving.verify import verify_static


def verify_serve(
    folder: Path, url: str, *, model: str | None = None, api_key: str | None = None, tolerance: float | None = None
) -> float:
    """Check statically, then ask the server every probe; return the largest difference of a log-probability.

    Args:
        folder: the bundle's.
        url: the server's, such as ``http://127.0.0.1:8080``.
        model: name to ask for; by default the run's name with the bundle's digest.
        api_key: the server's key.
        tolerance: by default that of fp32.

    Raises:
        RefusedError: the bundle itself, another digest in the answer, no answer, or another one.
    """
    bundle = verify_static(folder)
    name = model or f"{bundle.facts.run.name}@{bundle.digest12}"
    tolerance = TOLERANCE["float32"] if tolerance is None else tolerance
    return max(_ask(bundle, url, name, api_key, probe, tolerance) for probe in make_probes().items())


def post(url: str, body: dict[str, Any], api_key: str | None = None) -> tuple[dict[str, Any], dict[str, str]]:
    """Send JSON; return the answer and its headers.

    Raises:
        RefusedError: the server does not answer 200.
    """
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {api_key}"} if api_key else {})
    if not url.startswith(("http://", "https://")):
        raise RefusedError(Code.SERVED_WRONG, f"{url!r} is no http address")
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - the scheme was checked
    try:
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
            return json.load(response), {name.lower(): value for name, value in response.headers.items()}
    except urllib.error.HTTPError as error:
        with error:
            said = error.read(2000).decode(errors="replace")
        raise RefusedError(Code.SERVED_WRONG, f"{url} answers {error.code}: {said}") from error
    except (OSError, ValueError) as error:
        raise RefusedError(Code.SERVED_WRONG, f"{url} does not answer: {error}") from error


def data_url(image: Image.Image) -> str:
    """Return a picture as a PNG in a data URL."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def probe_request(probe: Probe, model: str) -> dict[str, Any]:
    """Return the request that asks for the first token with its likeliest alternatives."""
    urls = iter([data_url(image) for image in probe.images])
    content = [
        {"type": "image_url", "image_url": {"url": next(urls)}} if part["type"] == "image" else dict(part)
        for message in probe.messages
        for part in message["content"]
    ]
    return {
        "model": model,
        "messages": [{"role": "user", "content": content}],
        "max_tokens": 1,
        "temperature": 0,
        "logprobs": True,
        "top_logprobs": TOP,
    }


def _ask(
    bundle: Bundle, url: str, model: str, api_key: str | None, named: tuple[Any, Probe], tolerance: float
) -> float:
    name, probe = named
    answer, headers = post(f"{url.rstrip('/')}/v1/chat/completions", probe_request(probe, model), api_key)
    if headers.get(BUNDLE_HEADER.lower()) != bundle.id or not str(answer["model"]).endswith(f"@{bundle.digest12}"):
        raise RefusedError(Code.SERVED_WRONG, f"probe {name} was answered by {answer['model']}, not by {bundle.id}")
    found = {top["id"]: top["logprob"] for top in answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]}
    expected = bundle.facts.probes[name].adapter
    gap = max(abs(float(found.get(token.id, float("-inf"))) - token.logprob) for token in expected[: TOP // 2])
    if not gap <= tolerance:
        raise RefusedError(
            Code.PROBE_MISMATCH, f"probe {name}: served log-probabilities are up to {gap:.2g} from the recorded ones"
        )
    return gap
