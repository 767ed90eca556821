"""What SageMaker's contract adds: headers in, headers out."""

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import Depends, Request

from guerdon_serving.server.problems import HttpError

ATTRIBUTES: Final = "X-Amzn-SageMaker-Custom-Attributes"
MAX_ATTRIBUTES: Final = 1024
ADAPTERS: Final = ("X-Amzn-SageMaker-Adapter-Identifier", "X-Amzn-SageMaker-Adapter-Alias")


def named_model(headers: Mapping[str, str], model: str | None) -> str | None:
    """Return the model that the body, or else a header, names.

    Raises:
        HttpError: 400 if they name different ones.
    """
    named = {name: headers[name] for name in ADAPTERS if headers.get(name)}
    wanted = {value for value in (model, *named.values()) if value is not None}
    if len(wanted) > 1:
        raise HttpError(400, f"body and headers name different models: {', '.join(sorted(wanted))}")
    return next(iter(wanted), None)


def echoed(request: Request) -> dict[str, str]:
    """Return the custom attributes for the answer.

    Raises:
        HttpError: 400 if they are longer than 1024 characters or not ASCII.
    """
    value = request.headers.get(ATTRIBUTES)
    if value is None:
        return {}
    if len(value) > MAX_ATTRIBUTES or not value.isascii() or not value.isprintable():
        raise HttpError(
            400, f"{ATTRIBUTES} holds more than {MAX_ATTRIBUTES} characters, or some that are not printable ASCII"
        )
    return {ATTRIBUTES: value}


type Echo = Annotated[dict[str, str], Depends(echoed)]
