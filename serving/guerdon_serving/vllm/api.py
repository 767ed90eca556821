"""vLLM's HTTP interface: what is sent, and what comes back, as its release 0.30 has them."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from guerdon_serving.bundle.schema import TokenizerFacts
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model.generate import Chosen, Row
from guerdon_serving.vllm.process import BASE_NAME

CHAT: Final = "/v1/chat/completions"
LOAD: Final = "/v1/load_lora_adapter"
UNLOAD: Final = "/v1/unload_lora_adapter"
FORBID: Final = -100.0
"""A bias that no logit outweighs."""
ID_PREFIX: Final = "token_id:"
INTERVAL: Final = 16
"""Tokens in one event, where nobody reads along."""


def chat_body(row: Row, tokens: TokenizerFacts) -> dict[str, Any]:
    """Return the request of a row: its adapter by name, everything that matters said explicitly."""
    body = {
        "model": row.adapter or BASE_NAME,
        "messages": list(row.messages),
        "max_completion_tokens": row.max_tokens,
        "temperature": row.temperature,
        "top_p": row.top_p,
        "top_k": 0,
        "min_p": 0.0,
        "repetition_penalty": 1.0,
        "seed": row.seed,
        "stop_token_ids": list(tokens.end_ids),
        "logit_bias": {str(token): FORBID for token in tokens.forbidden_ids},
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_token_ids": True,
        "return_tokens_as_token_ids": True,
        "stream_interval": 1 if row.read_along else INTERVAL,
    }
    return body | ({"logprobs": True, "top_logprobs": row.top_logprobs} if row.logprobs else {})


def probe_body(adapter: str | None, messages: Sequence[Mapping[str, Any]], wanted: Sequence[int]) -> dict[str, Any]:
    """Return a request for the log-probabilities of certain tokens in the first place of the completion."""
    return {
        "model": adapter or BASE_NAME,
        "messages": list(messages),
        "max_completion_tokens": 1,
        "temperature": 0.0,
        "logprobs": True,
        "logprob_token_ids": list(wanted),
        "return_token_ids": True,
        "return_tokens_as_token_ids": True,
    }


def probe_answer(answer: Mapping[str, Any]) -> tuple[list[int], dict[int, float]]:
    """Return the prompt's tokens, and token to log-probability.

    Raises:
        RefusedError: the answer does not hold them.
    """
    try:
        entry = answer["choices"][0]["logprobs"]["content"][0]
        found = {token_id(top["token"]): float(top["logprob"]) for top in [entry, *entry["top_logprobs"]]}
        return list(answer["prompt_token_ids"]), found
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise RefusedError(
            Code.ENGINE_ANSWER, f"vLLM's answer to a probe lacks {error}: {json.dumps(answer)[:300]}"
        ) from error


def read_event(line: str) -> dict[str, Any] | None:
    """Return the JSON of a server-sent event; None for other lines and the end mark."""
    if not line.startswith("data: ") or line == "data: [DONE]":
        return None
    event: dict[str, Any] = json.loads(line.removeprefix("data: "))
    return event


def read_tokens(event: Mapping[str, Any], row: Row) -> Iterator[Chosen]:
    """Yield the tokens of an event.

    Raises:
        RefusedError: the event reports a failure, or has fewer log-probabilities than tokens.
    """
    if "error" in event:
        raise RefusedError(Code.ENGINE_ANSWER, f"vLLM failed: {json.dumps(event['error'])[:300]}")
    for choice in event.get("choices", ()):
        ids: Sequence[int] = choice.get("token_ids") or ()
        if not row.logprobs:
            yield from (Chosen(token, math.nan, []) for token in ids)
            continue
        entries = (choice.get("logprobs") or {}).get("content") or ()
        if len(entries) != len(ids):
            raise RefusedError(Code.ENGINE_ANSWER, f"vLLM gave {len(entries)} log-probabilities for {len(ids)} tokens")
        for token, entry in zip(ids, entries, strict=True):
            top = [(token_id(other["token"]), float(other["logprob"])) for other in entry["top_logprobs"]]
            yield Chosen(token, float(entry["logprob"]), top[: row.top_logprobs])


def token_id(text: str) -> int:
    """Read ``token_id:17``.

    Raises:
        ValueError: it reads otherwise.
    """
    if not text.startswith(ID_PREFIX):
        raise ValueError(f"{text!r} is no token id; return_tokens_as_token_ids was asked for")
    return int(text.removeprefix(ID_PREFIX))
