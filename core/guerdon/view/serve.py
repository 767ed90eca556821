"""Running the server."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path

import uvicorn

from guerdon.view.app import Viewed, create_app


class Server(uvicorn.Server):
    """A server that says where it listens."""

    on_ready: Callable[[str], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then tell the address: port 0 is any free one."""
        await super().startup(sockets)
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            self.on_ready(f"http://{_written(self.config.host)}:{port}/")


def serve(folder: Path, host: str, port: int, token: str | None, on_ready: Callable[[str], None]) -> None:
    """Serve the page until interrupted.

    Args:
        folder: the run's folder, or its ledger.
        host: address to listen on.
        port: port to listen on; 0 is any free one.
        token: what requests must bear; None lets everybody on this machine look.
        on_ready: told the address once requests are answered.
    """
    viewed = Viewed(folder)
    threading.Thread(target=viewed.renew_if_possible, name="guerdon-view").start()
    config = uvicorn.Config(
        create_app(viewed, token), host=host, port=port, log_level="warning", server_header=False, lifespan="off"
    )
    server = Server(config)
    server.on_ready = on_ready
    server.run()


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host
