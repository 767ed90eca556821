"""A model repository as the hub's cache lays it out on disk, and as the hub serves it over HTTP."""

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

REPO = "org/tiny"
COMMIT = "0123456789abcdef0123456789abcdef01234567"

MODEL = {
    "config.json": b'{"architectures": ["Tiny"]}',
    "model.safetensors.index.json": b'{"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}',
    "model-1.safetensors": b"one" * 100,
    "model-2.safetensors": b"two" * 100,
    "tokenizer.json": b"{}",
    "README.md": b"# Tiny",
}
CODE = {"modeling_tiny.py": b"raise SystemExit", "config.json": b'{"auto_map": {"AutoModel": "modeling_tiny.Tiny"}}'}


def write_cache(home: Path, files: Mapping[str, bytes] = MODEL) -> Path:
    """Lay a commit out below ``<home>/hub``; return the snapshot's folder."""
    folder = home / "hub" / f"models--{REPO.replace('/', '--')}"
    snapshot, blobs = folder / "snapshots" / COMMIT, folder / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    for name, content in files.items():
        blob = blobs / hashlib.sha256(content).hexdigest()
        blob.write_bytes(content)
        (snapshot / name).symlink_to(blob)
    return snapshot


@dataclass
class Hub:
    """What the server was asked for."""

    endpoint: str
    fetched: list[str] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    files: Mapping[str, bytes]
    hub: Hub

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.answer()

    def answer(self):
        path = self.path.partition("?")[0]
        name = path.removeprefix(f"/{REPO}/resolve/{COMMIT}/")
        if path.startswith(f"/api/models/{REPO}/tree/{COMMIT}"):
            self.send(json.dumps(tree(self.files)).encode(), "application/json")
        elif name in self.files:
            if self.command == "GET":
                self.hub.fetched.append(name)
            self.send(self.files[name], "application/octet-stream")
        else:
            self.send(b"", "text/plain", status=404)

    def send(self, body, kind, status=200):
        self.send_response(status)
        if status == 404:
            self.send_header("X-Error-Code", "RevisionNotFound")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def tree(files: Mapping[str, bytes]) -> list[dict[str, object]]:
    return [
        {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
        for name, content in files.items()
    ]


@contextlib.contextmanager
def serving(files: Mapping[str, bytes] = MODEL) -> Iterator[Hub]:
    """Serve one commit of one repository on loopback."""
    hub = Hub("")
    handler = type("Repository", (Handler,), {"files": files, "hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
