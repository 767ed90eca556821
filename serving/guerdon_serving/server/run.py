"""Running the server: it listens at once, answers ``/ping`` with 503 while it loads, and drains on SIGTERM."""

import signal
import threading
import time
from collections.abc import Callable

import uvicorn

from guerdon_serving.server.app import create_app
from guerdon_serving.server.service import Service
from guerdon_serving.server.settings import Settings


def serve(settings: Settings, on_ready: Callable[[str, str], None] = lambda *_: None) -> None:
    """Serve until SIGTERM or SIGINT; requests that were accepted by then are completed.

    Args:
        settings: what to serve and how.
        on_ready: told the address and the model's name once requests are answered.

    Raises:
        RefusedError: the bundle is not what it must be.
    """
    service = Service(settings)
    server = uvicorn.Server(configure(service))
    failures: list[BaseException] = []

    def load() -> None:
        try:
            service.start()
            if address := _wait_for_address(server):
                on_ready(address, service.default)
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


def _wait_for_address(server: uvicorn.Server) -> str | None:
    """Return the address once it is bound (port 0 is any free one); None if the server ends before."""
    while not server.started and not server.should_exit:
        time.sleep(0.01)
    sockets = [socket for bound in server.servers for socket in bound.sockets] if server.started else []
    return f"http://{server.config.host}:{sockets[0].getsockname()[1]}" if sockets else None


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
