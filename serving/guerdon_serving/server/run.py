"""Running the server: it listens at once, answers ``/ping`` with 503 while it loads, and drains on SIGTERM."""

import signal
import threading

import uvicorn

from guerdon_serving.server.app import create_app
from guerdon_serving.server.service import Service
from guerdon_serving.server.settings import Settings


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; requests that were accepted by then are completed.

    Raises:
        RefusedError: the bundle is not what it must be.
    """
    service = Service(settings)
    server = uvicorn.Server(configure(service))
    failures: list[BaseException] = []

    def load() -> None:
        try:
            service.start()
        except BaseException as error:  # noqa: BLE001 - raised again below, in the main thread
            failures.append(error)
            server.should_exit = True

    loader = threading.Thread(target=load, name="guerdon-load", daemon=True)
    loader.start()
    # uvicorn raises the signal once more after it has drained; by then there is nothing left to do.
    previous = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        server.run()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    if failures:
        raise failures[0]


def configure(service: Service) -> uvicorn.Config:
    """Return how uvicorn runs the application."""
    settings = service.settings
    return uvicorn.Config(
        create_app(service),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        timeout_graceful_shutdown=settings.drain_s,
        server_header=False,
    )
