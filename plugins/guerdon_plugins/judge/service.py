"""Asking a model over an OpenAI-compatible endpoint, within a deadline, with retries."""

import asyncio
import json
import random
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from guerdon import UnavailableError

if TYPE_CHECKING:
    import httpx

MAX_ANSWER = 1_000_000
"""Bytes of an answer that are read; a longer one is refused."""

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which it is worth asking again."""

_TIMEOUT_S = 86_400.0
"""The client's own; `Patience` holds the one that counts, over a whole answer."""

LONGEST_PAUSE_S = 30.0
"""Between attempts, unless the service itself asks for more."""


class PassingError(Exception):
    """A failure that may be over at the next attempt."""

    def __init__(self, reason: str, after_s: float = 0.0) -> None:
        super().__init__(reason)
        self.after_s = after_s
        """Seconds that the service asks to wait."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered."""

    text: str
    model: str
    tokens: int
    """Of prompt and answer together; 0 where the service does not say."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try."""

    until: float
    """By `time.monotonic`."""
    retries: int
    backoff_s: float

    def left(self) -> float:
        """Return the seconds that are left."""
        return self.until - time.monotonic()

    async def pause(self, attempt: int, error: PassingError) -> None:
        """Wait before the next attempt.

        Raises:
            UnavailableError: no attempt is left, or no time.
        """
        spread = random.uniform(0.5, 1.5)  # noqa: S311  # jitter
        pause = max(error.after_s, min(LONGEST_PAUSE_S, self.backoff_s * 2.0**attempt * spread))
        if attempt >= self.retries:
            raise UnavailableError(f"the judge gave no verdict in {attempt + 1} attempts: {error}") from error
        if pause >= self.left():
            raise UnavailableError(
                f"the judge gave no verdict: {error}; the next attempt would have to wait {pause:.3g} s, which is "
                "beyond timeout_s"
            ) from error
        await asyncio.sleep(pause)


class Service:
    """One endpoint. A client lives as long as the questions of one sample."""

    def __init__(self, base_url: str, key: str | None) -> None:
        import httpx

        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._key = key
        verify = _certificates() if base_url.startswith("https") else False
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.AsyncClient(verify=verify, headers=headers, follow_redirects=False, timeout=_TIMEOUT_S)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def ask(self, body: Mapping[str, Any], patience: Patience) -> Reply:
        """Ask once.

        Raises:
            PassingError: it may work at the next attempt.
            UnavailableError: it will not.
        """
        import httpx

        try:
            async with asyncio.timeout(patience.left()):
                status, headers, text = await self._post(body)
        except TimeoutError as error:
            raise UnavailableError(
                "the judge did not answer in time; raise timeout_s, or ask a faster model"
            ) from error
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            raise PassingError(f"no connection: {type(error).__name__}: {error}") from error
        if status in RETRIED:
            raise PassingError(f"HTTP {status}: {self._excerpt(text)}", _retry_after(headers))
        if status != 200:
            raise UnavailableError(f"the judge refuses the request with HTTP {status}: {self._excerpt(text)}")
        return _reply(text)

    async def _post(self, body: Mapping[str, Any]) -> tuple[int, "httpx.Headers", str]:
        async with self._client.stream("POST", self._url, json=body) as response:
            chunks = bytearray()
            async for chunk in response.aiter_bytes():
                chunks += chunk
                if len(chunks) > MAX_ANSWER:
                    raise UnavailableError(f"the judge's answer has more than {MAX_ANSWER} bytes")
            return response.status_code, response.headers, chunks.decode("utf-8", "replace")

    def _excerpt(self, text: str) -> str:
        """Return the beginning of an answer in one line, without the key, which some services repeat."""
        text = text.replace(self._key, "***") if self._key else text
        return " ".join(text[:500].split())[:200]


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Load the certificates once; that takes some 20 ms."""
    import httpx

    return httpx.create_ssl_context()


def _retry_after(headers: Mapping[str, str]) -> float:
    """Read ``Retry-After``: seconds or a date (RFC 9110, 10.2.3)."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value) if value.replace(".", "", 1).isdigit() else _until(value)
    except (TypeError, ValueError):
        return 0.0
    return max(0.0, seconds)


def _until(date: str) -> float:
    return (parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds()


def _reply(text: str) -> Reply:
    """Take the answer from a chat completion."""
    try:
        answer = json.loads(text)
        choice = answer["choices"][0]
        message = choice["message"]
        content, refusal, finish = message.get("content"), message.get("refusal"), choice.get("finish_reason")
        model, usage = str(answer.get("model") or ""), answer.get("usage") or {}
        tokens = int(usage.get("total_tokens") or 0)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise PassingError(f"its answer is no chat completion ({type(error).__name__}): {text[:120]!r}") from error
    if refusal or finish == "content_filter":
        raise UnavailableError(f"the judge refuses to answer: {str(refusal or finish)[:200]}")
    if not isinstance(content, str):
        raise PassingError(f"its answer holds no text; the reason to finish is {finish!r}")
    if finish == "length":
        raise PassingError("its answer was cut off; raise max_tokens")
    return Reply(content, model, tokens)
