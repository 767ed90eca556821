"""Who may look: a token, or the names of this machine alone."""

import hmac
import re
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Final
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE: Final = "guerdon_view"

ELSEWHERE: Final = "ask under the address that `guerdon view` printed\n"
UNKNOWN: Final = "a token is needed: open the address that `guerdon view` printed\n"

_PORT: Final = re.compile(r":\d+$")

HEADERS: Final = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def is_loopback(host: str) -> bool:
    """Say whether an address to listen on is reached from this machine alone."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Let through who bears the token; without one, who asks under a name of this machine.

    The latter keeps other sites' scripts out: a name of theirs that they let point here (DNS
    rebinding) is none of ours.
    """

    def __init__(self, app: ASGIApp, *, token: str | None) -> None:
        self.app, self.token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 or 421, keep a token of the address as a cookie, or pass the request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        await (self._answer(scope) or self.app)(scope, receive, _with_headers(send))

    def _answer(self, scope: Scope) -> Response | None:
        """Return what is said instead of the application's answer, if anything."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if self.token is None:
            name = _PORT.sub("", headers.get(b"host", "")).lower().strip("[]")
            return None if is_loopback(name) else PlainTextResponse(ELSEWHERE, 421)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if given and self._is_right(given):
            response = RedirectResponse("./", 303)
            response.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
            return response
        return None if self._is_right(_borne(headers)) else PlainTextResponse(UNKNOWN, 401)

    def _is_right(self, token: str) -> bool:
        return self.token is not None and hmac.compare_digest(token.encode(), self.token.encode())


def _borne(headers: dict[bytes, str]) -> str:
    scheme, _, token = headers.get(b"authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token
    try:
        cookie = SimpleCookie(headers.get(b"cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return cookie.value if cookie else ""


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        await send(message)

    return sent
