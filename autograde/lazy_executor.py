"""An executor that is made when it is needed."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from itertools import chain
from typing import Self

from autograde.executors import Executor, Finished, Job


class LazyExecutor:
    """Makes an executor when it is needed first, and none for a class in which nothing changed.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[], AbstractContextManager[Executor]]) -> None:
        """Make nothing yet."""
        self._make = make
        self._stack = ExitStack()
        self._executor: Executor | None = None

    def __enter__(self) -> Self:
        """Return the executor itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the executor if there is one."""
        self._stack.close()

    def run(self, jobs: Iterable[Job]) -> Iterator[Finished]:
        """Run every job, as :meth:`Executor.run` does."""
        waiting = iter(jobs)
        first = next(waiting, None)
        if first is not None:
            yield from self.start().run(chain([first], waiting))

    @property
    def problems(self) -> tuple[str, ...] | None:
        """What the executor found wrong with the assignment itself; None if none has looked."""
        plan = getattr(self._executor, "plan", None)
        return None if plan is None else tuple(plan.problems)

    def start(self) -> Executor:
        """Make the executor, so that it warms up while other things are done; return it."""
        if self._executor is None:
            self._executor = self._stack.enter_context(self._make())
        return self._executor
