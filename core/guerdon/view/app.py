"""The routes: the page, and samples by search. All of them only read."""

import logging
import threading
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from guerdon.errors import LedgerError
from guerdon.ledger.parts import Part
from guerdon.report.alarms import read_alarms
from guerdon.report.page import LIVE_SCRIPTS, page
from guerdon.report.payload import overall
from guerdon.report.pictures import album
from guerdon.report.plain import plain
from guerdon.review import Run, open_run
from guerdon.view.guard import Guard
from guerdon.view.search import SIZE, Search, find

log = logging.getLogger(__name__)


class Viewed:
    """A run that is looked at, and what was made of all its records."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._parts: list[Part] | None = None
        self._overall: dict[str, Any] = {}

    def overall(self, run: Run) -> dict[str, Any]:
        """Return what the page says of all records; where the ledger has grown, the next load says more.

        Going through millions of records takes seconds, so only the first load waits for it.
        """
        if self._parts is None:
            self.renew()
        elif run.ledger.parts() != self._parts and not self._lock.locked():
            threading.Thread(target=self.renew_if_possible, name="guerdon-view").start()
        return self._overall

    def renew(self) -> None:
        """Go through all records, unless that was done and none has come since."""
        with self._lock:
            run = open_run(self.folder)
            parts = run.ledger.parts()
            if parts != self._parts:
                self._overall, self._parts = overall(run, read_alarms(run)[0], None), parts

    def renew_if_possible(self) -> None:
        """Do the same where nobody waits: what hinders it is logged."""
        try:
            self.renew()
        except LedgerError as error:
            log.warning("the page is not up to date: %s", error)

    def samples(self, run: Run, search: Search) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a page of samples, and its pictures."""
        found = find(run.ledger, search)
        pictures = album(run.ledger.folder / "images", found.rows.pictures)
        left = plain(found.rows.left_out) | {"pictures": pictures.left_out, "pictures_unreadable": pictures.unreadable}
        place = {"matches": found.matches, "groups": found.groups, "hits": found.hits, "page": search.page}
        return {"rows": found.rows.columns, "left_out": left, "live": {**place, "size": SIZE}}, pictures.pictures

    def page(self) -> str:
        """Return the page with the samples of the last step."""
        run = open_run(self.folder)
        data, pictures = self.samples(run, Search())
        return page(LIVE_SCRIPTS, run.name, self.overall(run) | data, pictures, live=True)


def create_app(viewed: Viewed, token: str | None = None) -> FastAPI:
    """Build the application for a run; without a token it answers this machine's names alone."""
    app = FastAPI(title="guerdon view", docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/")
    def whole() -> Response:
        """Return the page."""
        return HTMLResponse(viewed.page())

    @app.get("/api/samples")
    def samples(search: Annotated[Search, Query()]) -> Response:
        """Return a page of samples as JSON."""
        data, pictures = viewed.samples(open_run(viewed.folder), search)
        return JSONResponse(data | {"pictures": pictures})

    @app.exception_handler(LedgerError)
    def unreadable(_: Request, error: LedgerError) -> Response:
        """Say why there is nothing to see, perhaps not yet."""
        return PlainTextResponse(f"{error}\n", 503)

    app.add_middleware(Guard, token=token)
    return app
