"""The state behind the routes: which names stand for which bundle, and who is being served."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from guerdon_serving.backend import Backend
from guerdon_serving.bundle.read import Bundle, check_files, open_bundle
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model.prompting import Prompter
from guerdon_serving.server.problems import HttpError
from guerdon_serving.server.settings import Settings
from guerdon_serving.server.start import start_backend

BASE: Final = "base"
"""The alias of the base model without any adapter; no bundle can have it."""


@dataclass(slots=True, eq=False)
class Served:
    """A model that can be asked."""

    alias: str
    digest: str
    """The bundle's id, or the base's revision."""
    prompter: Prompter
    bundle: Bundle
    """Of the base: the bundle it came with."""
    adapter: str | None
    """Name in the policy; None is the base itself."""
    pinned: bool
    in_flight: int = 0
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while nobody is being served by it."""

    @property
    def name(self) -> str:
        """``alias@digest12``, which never comes to mean something else."""
        return f"{self.alias}@{self.digest.removeprefix('sha256:')[:12]}"


class Service:
    """Owns the engine. Used from the event loop; `start` is for the thread that loads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.engine: Backend | None = None
        self.start_seconds: Mapping[str, float] = {}
        """What starting took, by phase; ``ready`` is the whole."""
        self.served: dict[str, Served] = {}
        self.aliases: dict[str, str] = {}
        self.default = ""
        self.in_flight = 0
        self._changing = asyncio.Lock()

    @property
    def ready(self) -> bool:
        """Whether requests are answered."""
        return self.engine is not None and self.engine.alive

    def start(self) -> None:
        """Verify and load the first bundle.

        Raises:
            RefusedError: it is not what it must be.
        """
        begin = time.perf_counter()
        started = start_backend(self.settings)
        bundle, prompter = started.bundle, started.prompter
        base = Served(BASE, str(bundle.facts.base.revision), prompter, bundle, None, pinned=True)
        alias = self.settings.alias or bundle.facts.run.name
        first = Served(alias, bundle.id, prompter, bundle, bundle.id, pinned=True)
        self._publish(base)
        self._publish(first)
        self.default = first.name
        self.start_seconds = {**started.seconds, "ready": time.perf_counter() - begin}
        self.engine = started.backend

    def stop(self) -> None:
        """Complete what was accepted, then stop."""
        if self.engine is not None:
            self.engine.stop()

    def resolve(self, model: str | None) -> Served:
        """Return what a name stands for.

        Raises:
            HttpError: 503 while loading; 404 for a name that is not served. Never the base instead.
        """
        if not self.ready:
            raise HttpError(503, "the model is being loaded; GET /ping says when it is ready", {"Retry-After": "2"})
        name = self.default if model is None else self.aliases.get(model, model)
        if name not in self.served:
            raise HttpError(404, f"no model {model!r} is served here; served: {', '.join(sorted(self.served))}")
        return self.served[name]

    @contextmanager
    def serving(self, served: Served) -> Iterator[None]:
        """Count a request in and out.

        Raises:
            HttpError: 429 when too many are under way.
        """
        limit = self.settings.max_rows + self.settings.max_waiting
        if self.in_flight >= limit:
            raise HttpError(429, f"{limit} requests are under way, no more are taken; try again", {"Retry-After": "1"})
        self.in_flight += 1
        served.in_flight += 1
        served.idle.clear()
        try:
            yield
        finally:
            self.in_flight -= 1
            served.in_flight -= 1
            if not served.in_flight:
                served.idle.set()

    async def load(self, alias: str, source: str, *, pin: bool) -> Served:
        """Load a bundle beside the others, probe it, then let the alias point to it.

        Whoever was asked for by the alias before stays loaded under its full name until it is removed.

        Raises:
            HttpError: no bundle may be loaded from there, or too many are loaded.
            RefusedError: it is not what it must be; the alias still points where it did.
        """
        self.resolve(None)
        folder = self._allowed(source)
        if alias == BASE:
            raise HttpError(400, f"the alias {BASE!r} is the base's own; choose another")
        async with self._changing:
            bundle = await asyncio.to_thread(_open, folder)
            known = next((served for served in self.served.values() if served.digest == bundle.id), None)
            if known is None and len(self.served) > self.settings.max_adapters:
                raise HttpError(409, f"{self.settings.max_adapters} adapters are loaded, no more fit; DELETE one first")
            prompter = known.prompter if known else await self._attach(bundle)
            served = Served(alias, bundle.id, prompter, bundle, bundle.id, pinned=pin)
            return self._publish(self.served.get(served.name, served))

    async def remove(self, name: str) -> Served:
        """Serve a model to nobody any more, and free its memory once the last one asking has been answered.

        Raises:
            HttpError: 404 if it is not served, 409 if it is pinned.
        """
        served = self.resolve(name)
        if served.pinned:
            raise HttpError(409, f"{served.name} is pinned: the server was started with it, or it was loaded with pin")
        del self.served[served.name]
        if self.aliases.get(served.alias) == served.name:
            del self.aliases[served.alias]
        async with self._changing:
            await served.idle.wait()
            if all(other.adapter != served.adapter for other in self.served.values()):
                await self._detach(str(served.adapter))
        return served

    def _publish(self, served: Served) -> Served:
        if not served.in_flight:
            served.idle.set()
        self.served[served.name] = served
        self.aliases[served.alias] = served.name
        return served

    async def _attach(self, bundle: Bundle) -> Prompter:
        expected = self.served[self.aliases[BASE]].bundle.facts.base
        if bundle.facts.base.files != expected.files:
            raise RefusedError(
                Code.BASE_MISMATCH,
                f"{bundle.folder} is for {bundle.facts.base.repo} at {bundle.facts.base.revision}, "
                f"and {expected.repo} at {expected.revision} is being served",
            )
        assert self.engine is not None
        return await asyncio.wrap_future(self.engine.attach(bundle))

    async def _detach(self, adapter: str) -> None:
        assert self.engine is not None
        await asyncio.wrap_future(self.engine.detach(adapter))

    def _allowed(self, source: str) -> Path:
        root = self.settings.bundles
        if root is None:
            raise HttpError(403, "this server loads no further bundles; start it with --bundles FOLDER")
        folder = (root / source).resolve()
        if not folder.is_relative_to(root.resolve()):
            raise HttpError(403, f"{source!r} is not below the folder that bundles may be loaded from")
        return folder


def _open(folder: Path) -> Bundle:
    bundle = open_bundle(folder)
    check_files(bundle)
    return bundle
