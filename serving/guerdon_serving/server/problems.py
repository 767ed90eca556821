"""What the server says when it cannot do what was asked, in the form of OpenAI's errors."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from guerdon import DataError
from guerdon_serving.codes import RefusedError

TYPES: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    502: "engine_error",
    503: "not_ready",
    504: "deadline_exceeded",
}


class HttpError(Exception):
    """``HttpError(status, message, headers)``: becomes the answer."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        return int(self.args[0])

    @property
    def headers(self) -> dict[str, str]:
        """Further headers."""
        return dict(self.args[2]) if len(self.args) > 2 else {}


def body(status: int, message: str, code: str | None = None) -> dict[str, Any]:
    """Return the error as OpenAI's clients read it."""
    return {"error": {"message": message, "type": TYPES.get(status, "server_error"), "param": None, "code": code}}


def handle(app: FastAPI) -> None:
    """Turn what routes raise into answers."""

    @app.exception_handler(HttpError)
    async def problem(_: Request, error: HttpError) -> JSONResponse:
        return JSONResponse(body(error.status, error.args[1]), error.status, error.headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        lines = [
            f"{'.'.join(str(part) for part in item['loc'][1:]) or 'body'}: {item['msg']}" for item in error.errors()
        ]
        return JSONResponse(body(400, "; ".join(lines[:5])), 400)

    @app.exception_handler(DataError)
    async def data(_: Request, error: DataError) -> JSONResponse:
        return JSONResponse(body(400, str(error)), 400)

    @app.exception_handler(RefusedError)
    async def refused(_: Request, error: RefusedError) -> JSONResponse:
        return JSONResponse(body(400, str(error), error.code), 400)

    @app.exception_handler(HTTPException)
    async def plain(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse(body(error.status_code, str(error.detail)), error.status_code, error.headers)
