"""Instructor's cells that the examiner had to stop halfway: what they were to compute is not judged."""

from types import FunctionType, ModuleType
from typing import Any

from autograde.examiner.names import bound_and_needed, changed_in_place, names_reached
from autograde.outcome import TestResult


class Unfinished:
    """Remembers which names hold less than their cells were to compute.

    A stale ``ok = True``, or an empty list of failures, would pass a test.

    Args:
        names: The examiner's namespace.
    """

    def __init__(self, names: dict[str, Any]):
        self._names = names
        self._ran: list[str] = []
        self._stops: dict[str, TestResult] = {}

    def ended(self, source: str, stop: TestResult | None) -> None:
        """Note how a cell ended; what it has defined by then is whole.

        `stop` is the result of each test that uses what the cell was to compute; None: it came to its end.
        """
        self._ran.append(source)
        if stop is None and not self._stops:
            return
        bound = bound_and_needed(source)[0]
        for name in bound if stop is None else bound | changed_in_place(source):
            if stop is None or isinstance(self._names.get(name), FunctionType | type | ModuleType):
                self._stops.pop(name, None)
            else:
                self._stops[name] = stop

    def reached_by(self, source: str) -> TestResult | None:
        """Return what stopped a cell whose names a test uses, itself or through other cells."""
        if not self._stops:
            return None
        reached = names_reached([source], [(bound_and_needed(text)[0], text) for text in self._ran])
        return next((stop for name, stop in self._stops.items() if name in reached), None)
