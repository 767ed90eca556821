"""Running a coroutine so that one sees when each of its steps begins and ends."""

import types
from collections.abc import Awaitable, Callable, Generator
from typing import Any


async def stepped[T](awaitable: Awaitable[T], before: Callable[[], None], after: Callable[[], None]) -> T:
    """Await, and call `before` and `after` around each step: what runs between them may block the loop."""
    return await _steps(awaitable.__await__(), before, after)


@types.coroutine
def _steps[T](
    steps: Generator[Any, Any, T], before: Callable[[], None], after: Callable[[], None]
) -> Generator[Any, Any, T]:
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
