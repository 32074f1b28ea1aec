"""One notebook's student process: kept alive, replayed after a crash, within one budget."""

import time
from collections.abc import Callable
from typing import Any

from autograde.errors import InfrastructureError
from autograde.examiner.client import (
    BadReplyError,
    Container,
    Conversation,
    CrashedError,
    TimedOutError,
)
from autograde.limits import Limits
from autograde.student.score import Value

CellReply = tuple[list[dict[str, Any]], tuple[str, list[str], str, list[int]] | None, Value | None, bool]


class BudgetSpentError(Exception):
    """The submission's time is used up."""


class StudentSide:
    """Runs cells and calls in the student's process.

    Args:
        open_container: Makes the submission's container, again if it was lost.
        limits: The submission's limits.
        deadline: When the submission's time is used up (``time.monotonic``).
    """

    def __init__(self, open_container: Callable[[], Container], limits: Limits, deadline: float):
        self._open_container = open_container
        self._limits = limits
        self._deadline = deadline
        self._conversation: Conversation | None = None
        self._container: Container | None = None
        self._starved = 0.0  # of earlier containers
        self._history: list[tuple[str, str]] = []  # the cells that it has run, and what became of figures
        self._restarts = 0
        self._strays = 0
        self.generation = 0  # counts the processes: handles of an earlier one are void

    def time_left(self, seconds: float) -> float:
        """Return the deadline for something that may take `seconds`.

        Raises:
            BudgetSpentError: If the submission's time is used up.
        """
        now = time.monotonic()
        if now >= self._deadline:
            raise BudgetSpentError
        return min(now + seconds, self._deadline)

    def run_cell(self, text: str, seconds: float, *, figures: str = "made") -> CellReply:
        """Run a cell: its outputs, error, value, and whether it wanted to draw although it must not.

        A cell that ends the process, or does not end in time, is left out of later replays.

        Raises:
            StudentError: If it did not come to an end.
            BudgetSpentError: If there was no time left for it.
        """
        reply = self.ask(seconds, "run", text, figures)
        self._history.append((text, figures))
        match reply:
            case (
                "ran",
                list() as outputs,
                error,
                (None | (str(), None | float())) as value,
                drew,
            ):
                return (
                    [_output(item, figures == "shown") for item in outputs],
                    _described(error),
                    None if value is None else Value(*value),
                    drew is True,
                )
        raise self.refuse("its answer about a cell has the wrong form")

    def ask(self, seconds: float, verb: str, *arguments: object) -> tuple[Any, ...]:
        """Ask the student's process, starting it again if it is gone.

        Raises:
            StudentError: If there is no usable answer.
            BudgetSpentError: If there was no time left.
        """
        self.ensure()
        assert self._conversation is not None
        return self._conversation.ask(self.time_left(seconds), verb, *arguments)

    def refuse(self, why: str) -> BadReplyError:
        """End a process whose answers make no sense; returns the error to raise."""
        if self._conversation is not None:
            self._conversation.end()
        return BadReplyError(why)

    def ensure(self) -> None:
        """Have a process that has run the student's cells so far.

        Raises:
            BudgetSpentError: If it cannot be had within the submission's time and number of restarts.
        """
        while self._conversation is None or not self._conversation.alive:
            if self._conversation is not None:
                self._restarts += 1
                if self._restarts > self._limits.restarts:
                    raise BudgetSpentError
                self._strays += self._conversation.strays
            self.time_left(1.0)
            self._conversation = self._start()
            self.generation += 1
            self._replay(self._conversation)

    def close(self) -> None:
        """End the process."""
        if self._conversation is not None:
            self._conversation.end()

    @property
    def strays(self) -> int:
        """How many answers came that nobody had asked for."""
        return self._strays + (self._conversation.strays if self._conversation else 0)

    @property
    def starved(self) -> float:
        """Seconds so far that its process was ready to run, but others' processes ran."""
        return self._starved + (self._container.watch.starved if self._container else 0.0)

    def _start(self) -> Conversation:
        for attempt in (1, 2):
            container = self._open_container()
            if container is not self._container:
                self._starved, self._container = self.starved, container
            try:
                return Conversation(container, self._limits, self._deadline)
            except InfrastructureError:
                container.dead = True
                if attempt == 2:
                    raise
        raise AssertionError

    def _replay(self, conversation: Conversation) -> None:
        for number, (text, figures) in enumerate(self._history):
            try:
                conversation.ask(self.time_left(self._limits.cell_seconds), "run", text, figures)
            except (CrashedError, TimedOutError, BadReplyError):
                del self._history[number]  # the next start goes without it
                conversation.end()
                return


def _described(error: object) -> tuple[str, list[str], str, list[int]] | None:
    match error:
        case None:
            return None
        case (str() as name, list() as bases, str() as text, list() as lines):
            return (
                name,
                [base for base in bases if type(base) is str],
                text,
                [line for line in lines if type(line) is int],
            )
    return ("Exception", ["Exception"], "", [])


def _output(item: object, images: bool) -> dict[str, Any]:
    """Return an output in nbformat's terms, whatever was sent: plain text and pictures only."""
    match item:
        case {"output_type": "stream", "name": "stdout" | "stderr" as name, "text": str() as text}:
            return {"output_type": "stream", "name": name, "text": _writable(text)}
        case {
            "output_type": "display_data" | "execute_result" as kind,
            "data": {"text/plain": str() as text} as data,
        }:
            kept = {"text/plain": _writable(text)}
            if images and type(data.get("image/png")) is str:
                kept["image/png"] = data["image/png"]
            return {"output_type": kind, "data": kept, "metadata": {}}
        case {
            "output_type": "error",
            "ename": str() as name,
            "evalue": str() as text,
            "traceback": list() as lines,
        }:
            kept_lines = [_writable(line) for line in lines if type(line) is str]
            shown = {"ename": _writable(name), "evalue": _writable(text)}
            return {"output_type": "error", **shown, "traceback": kept_lines}
    return {"output_type": "stream", "name": "stderr", "text": "[unreadable output]"}


def _writable(text: str) -> str:
    """Return a text without halves of surrogate pairs, which no file can hold."""
    return text.encode("utf-8", "replace").decode()
