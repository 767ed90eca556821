"""The engine: rows go to vLLM as requests, and come back token by token.

A thread of its own runs the event loop that talks to vLLM, so that the server's loop is never held up. vLLM
batches by itself, several adapters in one batch.
"""

import asyncio
import logging
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Final

import httpx

from guerdon import DataError
from guerdon_serving.bundle.schema import TokenizerFacts
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model.generate import Row
from guerdon_serving.server.problems import HttpError
from guerdon_serving.vllm.api import CHAT, LOAD, UNLOAD, chat_body, read_event, read_tokens

if TYPE_CHECKING:
    from guerdon_serving.bundle.read import Bundle
    from guerdon_serving.model.policy import Precision
    from guerdon_serving.model.prompting import Prompter
    from guerdon_serving.vllm.process import Process

log = logging.getLogger(__name__)

TIMEOUT: Final = httpx.Timeout(None, connect=10)
"""The server's own deadline ends a request; loading an adapter may take long."""


class VllmEngine:
    """Talks to a vLLM that runs."""

    encodes = True
    """vLLM renders and encodes; the probes prove that it does so as the bundle's processor does."""

    def __init__(
        self, process: "Process", tokens: TokenizerFacts, *, max_rank: int, dtype: "Precision" = "bfloat16"
    ) -> None:
        """Start the thread.

        Args:
            process: a vLLM that is ready.
            tokens: which tokens end, and which no completion may hold.
            max_rank: the largest rank that vLLM was started for.
            dtype: vLLM's, which says how closely probes must agree.
        """
        self.process, self.tokens, self.max_rank, self.dtype = process, tokens, max_rank, dtype
        self._loop = asyncio.new_event_loop()
        self._tasks: set[Future[None]] = set()
        self._http = httpx.AsyncClient(
            base_url=process.url,
            headers={"Authorization": f"Bearer {process.key}"},
            timeout=TIMEOUT,
            limits=httpx.Limits(max_connections=None),
        )
        self._thread = threading.Thread(target=self._loop.run_forever, name="guerdon-vllm", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether vLLM runs."""
        return self.process.alive

    def submit(self, row: Row) -> None:
        """Hand a row to vLLM."""
        self._tasks.add(future := self._run(self._complete(row)))
        future.add_done_callback(self._tasks.discard)

    def attach(self, bundle: "Bundle") -> "Future[Prompter]":
        """Check a bundle's adapter, let vLLM load it, and ask the probes; unload it if they disagree."""
        return self._run(self._attach(bundle))

    def detach(self, adapter: str) -> "Future[None]":
        """Let vLLM forget an adapter. Its name is a digest, so no other can ever bear it."""
        return self._run(self._unload(adapter))

    def stop(self) -> None:
        """Complete what was handed in, then end vLLM."""
        for task in list(self._tasks):
            task.exception()
        self._run(self._http.aclose()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self.process.stop()

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        """Return vLLM's answer: JSON, or text where it is none.

        Raises:
            RefusedError: it does not answer 200.
        """
        try:
            response = await self._http.post(path, json=body)
        except httpx.HTTPError as error:
            raise RefusedError(Code.ENGINE_ANSWER, f"vLLM does not answer {path}: {error!r}") from error
        if response.status_code != 200:
            raise RefusedError(Code.ENGINE_ANSWER, f"vLLM answers {path} with {response.status_code}: {response.text}")
        return response.json() if "json" in response.headers.get("content-type", "") else response.text

    def _run[T](self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _attach(self, bundle: "Bundle") -> "Prompter":
        from guerdon_serving.model.prompting import Prompter
        from guerdon_serving.verify import check_adapter
        from guerdon_serving.vllm.probes import check_prompts, check_served

        plan = bundle.facts.serving
        if plan.max_lora_rank is None or plan.max_lora_rank > self.max_rank:
            raise RefusedError(
                Code.ENGINE_PLAN,
                f"{bundle.folder} needs {plan.mode} serving, max-lora-rank {plan.max_lora_rank}; "
                f"vLLM was started with {self.max_rank}",
            )
        await asyncio.to_thread(check_adapter, bundle)
        prompter = await asyncio.to_thread(Prompter, bundle.base)
        encoded = await asyncio.to_thread(check_prompts, bundle, prompter)
        await self.post(LOAD, {"lora_name": bundle.id, "lora_path": str(bundle.adapter.resolve())})
        try:
            await check_served(self, bundle, encoded)
        except RefusedError:
            await self._unload(bundle.id)
            raise
        return prompter

    async def _unload(self, adapter: str) -> None:
        await self.post(UNLOAD, {"lora_name": adapter})

    async def _complete(self, row: Row) -> None:
        """Never raise: a row that fails must not take the engine with it."""
        try:
            if not row.cancelled:
                await self._stream(row)
            row.end()
        except DataError as error:
            row.end(error)
        except Exception as error:
            log.exception("a row failed")
            row.end(HttpError(502, f"the engine behind this server failed: {error!r:.300}"))

    async def _stream(self, row: Row) -> None:
        async with self._http.stream("POST", CHAT, json=chat_body(row, self.tokens)) as response:
            if response.status_code != 200:
                said = (await response.aread()).decode(errors="replace")[:500]
                if response.status_code == 400:
                    raise DataError(f"vLLM refuses the request: {said}")
                raise RefusedError(Code.ENGINE_ANSWER, f"vLLM answers {response.status_code}: {said}")
            async for line in response.aiter_lines():
                event = read_event(line)
                if event is None:
                    continue
                row.prompt_tokens = len(event.get("prompt_token_ids") or ()) or row.prompt_tokens
                for chosen in read_tokens(event, row):
                    if row.cancelled:
                        return  # leaving closes the connection, and vLLM stops generating
                    row.tokens.append(chosen)
                    row.on_token(chosen)
