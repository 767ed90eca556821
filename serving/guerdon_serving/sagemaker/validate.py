"""Checking requests against botocore's own description of SageMaker, without a connection or credentials."""

import functools
import importlib
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from guerdon import BundleError, ConfigError
from guerdon_serving.sagemaker.requests import Request

INSTALL: Final = "deploy needs boto3: pip install 'guerdon[sagemaker]'"


def check_requests(requests: Sequence[Request]) -> None:
    """Hold each request to its shape: names, types, what is required, and also patterns, choices and lengths.

    botocore itself checks the first three before it sends; the rest only the service would refuse.

    Raises:
        ConfigError: lists what is wrong.
        BundleError: boto3 is not installed.
    """
    service, validator = _botocore()
    problems = []
    for request in requests:
        shape = service.operation_model(request.operation).input_shape
        report = validator.validate(request.parameters, shape)
        problems += [f"{request.operation}: {line}" for line in report.generate_report().splitlines()]
        problems += [f"{request.operation}: {line}" for line in _limits(shape, request.parameters, "")]
    if problems:
        raise ConfigError("SageMaker would refuse this:\n" + "\n".join(problems))


@functools.cache
def _botocore() -> tuple[Any, Any]:
    """Return SageMaker's description, which takes a moment to read, and what checks against it."""
    try:
        session, validate = (importlib.import_module(f"botocore.{name}") for name in ("session", "validate"))
    except ImportError as error:
        raise BundleError(INSTALL) from error
    return session.get_session().get_service_model("sagemaker"), validate.ParamValidator()


def _limits(shape: Any, value: Any, path: str) -> Iterator[str]:
    """Yield where a value breaks a pattern, a choice, or an upper limit."""
    if shape.type_name == "structure" and isinstance(value, dict):
        for name, inner in value.items():
            if name in shape.members:
                yield from _limits(shape.members[name], inner, f"{path}.{name}")
    elif shape.type_name == "list" and isinstance(value, list):
        yield from _too_much(shape, len(value), path)
        for number, inner in enumerate(value):
            yield from _limits(shape.member, inner, f"{path}[{number}]")
    elif shape.type_name == "map" and isinstance(value, dict):
        yield from _too_much(shape, len(value), path)
        for key, inner in value.items():
            yield from _limits(shape.key, key, f"{path} key {key!r}")
            yield from _limits(shape.value, inner, f"{path}.{key}")
    elif isinstance(value, str):
        yield from _text(shape, value, path)
    elif isinstance(value, int | float):
        yield from _too_much(shape, value, path)


def _text(shape: Any, value: str, path: str) -> Iterator[str]:
    yield from _too_much(shape, len(value), path)
    if (choices := shape.metadata.get("enum")) and value not in choices:
        yield f"{path[1:]} is {value!r}, none of the {len(choices)} values that are allowed"
    if (pattern := shape.metadata.get("pattern")) and not re.fullmatch(pattern, value):
        yield f"{path[1:]} is {value!r}, which does not match {pattern}"


def _too_much(shape: Any, size: float, path: str) -> Iterator[str]:
    limit = shape.metadata.get("max")
    if limit is not None and size > limit:
        yield f"{path[1:]} has {size}, at most {limit}"
