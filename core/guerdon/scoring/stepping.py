"""Running a coroutine so that one sees when each of its steps begins and ends."""

import types
from collections.abc import Awaitable, Callable, Generator
from typing import Any


@types.coroutine
def stepped[T](
    awaitable: Awaitable[T], before: Callable[[], None], after: Callable[[], None]
) -> Generator[Any, Any, T]:
    """Await, and call `before` and `after` around each step: what runs between them may block the loop."""
    steps = awaitable.__await__()
    resume: Callable[[Any], Any] = steps.send
    argument: Any = None
    while True:
        before()
        try:
            waits_for = resume(argument)
        except StopIteration as stop:
            result: T = stop.value
            return result
        finally:
            after()
        try:
            argument = yield waits_for
            resume = steps.send
        except BaseException as exception:  # noqa: BLE001  # a cancellation, passed on
            argument = exception
            resume = steps.throw
