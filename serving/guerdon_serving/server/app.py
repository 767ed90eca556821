"""The routes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response

from guerdon_serving.server import problems
from guerdon_serving.server.chat import answer
from guerdon_serving.server.guard import Guard
from guerdon_serving.server.metrics import Metrics
from guerdon_serving.server.problems import HttpError
from guerdon_serving.server.sagemaker import Echo, named_model
from guerdon_serving.server.service import Served, Service
from guerdon_serving.server.wire import AdapterRequest, ChatRequest


def create_app(service: Service) -> FastAPI:
    """Build the application over a service that is ready, or will be."""
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(service.stop)

    app = FastAPI(title="guerdon", lifespan=lifespan, docs_url=None, redoc_url=None)
    problems.handle(app)
    _add_chat(app, service, metrics)
    _add_models(app, service)
    _add_adapters(app, service)
    _add_health(app, service, metrics)
    app.add_middleware(Guard, metrics=metrics, api_key=service.settings.api_key)
    return app


def _add_chat(app: FastAPI, service: Service, metrics: Metrics) -> None:
    @app.post("/v1/chat/completions", response_model=None)
    async def chat(request: ChatRequest, http: Request) -> Response:
        """Complete a conversation; text and pictures in, text out."""
        return await answer(service, request, http, metrics)

    @app.post("/invocations", response_model=None)
    async def invocations(request: ChatRequest, http: Request, echo: Echo) -> Response:
        """Do the same under SageMaker's name; the adapter may be named by header."""
        request = request.model_copy(update={"model": named_model(http.headers, request.model)})
        response = await answer(service, request, http, metrics)
        response.headers.update(echo)
        return response


def _add_models(app: FastAPI, service: Service) -> None:
    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        """List what is served, with digests."""
        service.resolve(None)
        return {"object": "list", "data": [_model(service, served) for served in service.served.values()]}

    @app.get("/v1/models/{name}")
    async def model(name: str) -> dict[str, Any]:
        """Describe one."""
        return _model(service, service.resolve(name))

    @app.get("/provenance")
    async def provenance(model: str | None = None) -> dict[str, Any]:
        """Return a bundle's whole ``bundle.json``."""
        served = service.resolve(model)
        return {"model": served.name, "id": served.bundle.id, "bundle": served.bundle.facts.model_dump(mode="json")}


def _add_adapters(app: FastAPI, service: Service) -> None:
    @app.get("/adapters")
    async def adapters() -> dict[str, Any]:
        """List the adapters."""
        service.resolve(None)
        return {"adapters": [_model(service, served) for served in service.served.values() if served.adapter]}

    @app.post("/adapters")
    async def load(request: AdapterRequest) -> dict[str, Any]:
        """Load, probe, and only then let the alias point to the new one."""
        return _model(service, await service.load(request.name, request.src, pin=request.pin))

    @app.delete("/adapters/{name}")
    async def remove(name: str) -> dict[str, Any]:
        """Serve it to nobody any more, and unload it once idle."""
        served = await service.remove(name)
        return {"id": served.name, "object": "model", "deleted": True}


def _add_health(app: FastAPI, service: Service, metrics: Metrics) -> None:
    @app.get("/ping")
    async def ping() -> dict[str, str]:
        """Say that requests are answered: 200, or 503 while loading."""
        if not service.ready:
            raise HttpError(503, "loading", {"Retry-After": "2"})
        return {"status": "ok", "model": service.default}

    @app.get("/metrics", response_model=None)
    async def prometheus() -> Response:
        """Show the counters."""
        return Response(
            metrics.render(service.in_flight, service.start_seconds), media_type="text/plain; version=0.0.4"
        )


def _model(service: Service, served: Served) -> dict[str, Any]:
    facts = served.bundle.facts
    return {
        "id": served.name,
        "object": "model",
        "created": 0,
        "owned_by": "guerdon",
        "digest": served.digest,
        "alias": served.alias,
        "current": service.aliases.get(served.alias) == served.name,
        "pinned": served.pinned,
        "base": {"repo": facts.base.repo, "revision": facts.base.revision},
        "run": {"name": facts.run.name, "step": facts.run.step} if served.adapter else None,
    }
