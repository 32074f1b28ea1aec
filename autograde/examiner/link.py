"""The student's names in the examiner's namespace: fetched before a test, called through while it runs."""

import builtins
import importlib
import signal
import threading
import time
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, NoReturn

from autograde.examiner.client import BadReplyError, CrashedError, TimedOutError
from autograde.examiner.stand_ins import ENDS_LOOPS, StopTest, make_error, make_function, make_unreadable
from autograde.examiner.student_side import BudgetSpentError, StudentSide
from autograde.examiner.usage import own_waiting_seconds
from autograde.outcome import TestOutcome
from autograde.plain_data import (
    FIELDS,
    FUNCTION,
    Bounds,
    Decoder,
    Encoder,
    MalformedError,
    NotPlainError,
    apply_changes,
    decode,
    encode,
)
from autograde.plain_data.decoding import read_safely
from autograde.student.kernel import library_path, random_state


class Link:
    """Stand-ins for the student's names, and a record of what went wrong with them during one test.

    Args:
        side: The student's process.
        names: The examiner's namespace.
        bounds: What one answer may hold.
        output: Told what a call printed.
        recording: The solution runs: what it gives is what submissions may give.
    """

    def __init__(
        self, side: StudentSide, names: dict[str, Any], bounds: Bounds, output: Any, *, recording: bool
    ):
        self._side = side
        self._names = names
        self._bounds = bounds
        self._output = output
        self._recording = recording
        self.seen: set[str] = set()
        self._functions: dict[tuple[int, int], Callable[..., Any]] = {}
        self._handles: dict[int, tuple[int, int]] = {}  # id of a stand-in -> its generation and handle
        self._turn = threading.RLock()  # a test may call from several threads; the conversation is one
        self.begin(1.0, 1.0, (), is_test=True, follow_random=False)

    def begin(
        self,
        seconds: float,
        call_seconds: float,
        seen: Iterable[str],
        *,
        is_test: bool,
        follow_random: bool,
    ) -> None:
        """Start the record of a test, or of a given cell, that may take `seconds` in all.

        `seen` says what the solution gave there that a value may be only where it is expected.
        """
        self.seen = set(seen)
        self._run_out = is_test  # a given cell has run there already, and what it read of an iterator is gone
        self.trouble: TestOutcome | None = None
        self.remark = ""
        self.relayed: list[tuple[BaseException, str, list[str], str]] = []
        self.unreadable: set[str] = set()
        self.in_call = False
        self._end = time.monotonic() + seconds
        self._starved, self._waited = self._side.starved, own_waiting_seconds()
        self._call_seconds = call_seconds
        self._random = encode(random_state()) if follow_random else None

    def _seconds_left(self) -> float:
        """Return what is left of the test's time, which stands still while others' processes run."""
        left = self._end + self._side.starved - self._starved - time.monotonic()
        return left if left > 1.0 else left + own_waiting_seconds() - self._waited

    def fetch(self, names: Iterable[str], libraries: Iterable[str] = ()) -> None:
        """Bind the values that names have in the student's process now.

        Of `libraries` it is only asked whether they are there: an import may be what the answer is about.

        Raises:
            StudentError: If the process gives no usable answer.
        """
        own = list(names)
        wanted = own + [name for name in libraries if name not in own]
        if not wanted:
            return
        try:
            reply = self._side.ask(self._call_seconds, "get", wanted, self._run_out)
        except CrashedError:  # something that an earlier cell left behind: a timer, a thread
            reply = self._side.ask(self._call_seconds, "get", wanted, self._run_out)
        match reply:
            case ("values", list() as rows) if len(rows) == len(wanted):
                for name, row in zip(own, rows[: len(own)], strict=True):
                    self._bind(name, row)
                for name, row in zip(wanted[len(own) :], rows[len(own) :], strict=True):
                    if row == (name, "missing"):
                        self._names.pop(name, None)
            case _:
                raise self._side.refuse("its answer about names has the wrong form")

    def _bind(self, name: str, row: object) -> None:
        match row:
            case (_, "missing"):
                self._unbind(name)
            case (_, "plain", bytes() as data):
                try:
                    self._names[name] = decode(data, self._bounds, self._stand_in, self._may_be)
                except MalformedError as error:
                    self._bind_unreadable(name, str(error))
            case (_, "foreign", str() as kind, str()):
                self._bind_unreadable(name, kind)
            case _:
                raise self._side.refuse("its answer about a name has the wrong form")

    def _unbind(self, name: str) -> None:
        """Take a name away; Python's own of that name must not stand in for the student's."""
        self._names.pop(name, None)
        if hasattr(builtins, name):

            def report() -> NoReturn:
                raise NameError(f"name {name!r} is not defined")

            self._names[name] = make_unreadable(report)

    def _bind_unreadable(self, name: str, what: str) -> None:
        def report() -> NoReturn:
            self._stop(TestOutcome.NEEDS_REVIEW, f"the value of {name} cannot cross ({what[:200]})")

        self.unreadable.add(name)
        self._names[name] = make_unreadable(report)

    def _stand_in(self, described: Any) -> object:
        match described:
            case (int() as handle, str() as name, str() as doc, shape) if type(handle) is int:
                key = (self._side.generation, handle)
                function = self._functions.get(key)
                if function is None:

                    def call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
                        with self._turn:
                            return self._call(key, args, kwargs)

                    function = self._functions[key] = make_function(call, name, doc, shape)
                    self._handles[id(function)] = key
                return function
        raise MalformedError("handle")

    def _may_be(self, what: str) -> bool:
        """Say whether a name's value may be, or hold, what could lie about its type."""
        return what == FUNCTION or self._may_give(what)

    def _may_give(self, what: str) -> bool:
        """Say the same of an answer: it may if the solution's does, or if the instructor's cells make it."""
        if self._recording:
            self.seen.add(what)
        return what in self.seen or what in {
            FIELDS + " ".join(value._fields)
            for value in self._names.values()
            if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")
        }

    def _as_handle(self, value: object) -> object:
        """Say what a function that is an argument is called there: a handle, or a name."""
        key = self._handles.get(id(value))
        if key is not None and key[0] == self._side.generation:
            return key[1]
        path = library_path(value)
        if path is not None:
            return path
        name = getattr(value, "__name__", "")
        if isinstance(value, FunctionType) and key is None and self._names.get(name) is value:
            return f":{name}"
        raise NotPlainError(type(value).__qualname__)

    def _call(self, key: tuple[int, int], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.trouble is not None:
            raise StopTest
        encoder = Encoder(self._as_handle)
        try:
            encoder.put((args, tuple(kwargs.items())))
        except (NotPlainError, RecursionError) as error:
            self._stop(TestOutcome.NEEDS_REVIEW, f"an argument of the test cannot cross ({error})")
        seconds = min(self._call_seconds, max(self._seconds_left(), 0.05))
        try:
            reply = self._ask(seconds, key, bytes(encoder.buffer))
            return self._outcome(reply, encoder.objects)
        except TimedOutError as error:
            self._stop(TestOutcome.TIMED_OUT, str(error))
        except CrashedError as error:
            self._stop(TestOutcome.ERROR, str(error))
        except BadReplyError as error:
            self._stop(TestOutcome.NEEDS_REVIEW, f"malformed answer: {error}")
        except BudgetSpentError:
            self._stop(TestOutcome.NOT_REACHED, "the submission's time is used up")

    def _ask(self, seconds: float, key: tuple[int, int], arguments: bytes) -> tuple[Any, ...]:
        self.in_call = True  # the alarm must not break into the conversation, which has its own deadline
        try:
            self._side.ensure()
            if key[0] != self._side.generation:
                raise CrashedError("its process was started again in the middle of a test")
            return self._side.ask(seconds, "call", key[1], arguments, self._new_random_state())
        finally:
            self.in_call = False
            if self._seconds_left() <= 0:
                self._stop(TestOutcome.TIMED_OUT, "the test took too long")

    def _outcome(self, reply: tuple[Any, ...], originals: list[Any]) -> Any:
        match reply:
            case ("returned", bytes() as message, str() as out, str() as err):
                self._relay(out, err)
                return self._read(message, originals)
            case (
                "raised",
                str() as name,
                list() as bases,
                str() as text,
                bytes() as message,
                str() as out,
                str() as err,
            ):
                self._relay(out, err)
                arguments = self._read(message, originals)
                bases = [base for base in bases if type(base) is str]
                arguments = arguments if type(arguments) is tuple else (text,)
                stops = not {cls.__name__ for cls in ENDS_LOOPS}.isdisjoint(bases)
                may_end_loops = stops and self._may_give("StopIteration")
                error = make_error(name, bases, text, arguments, self._names, may_end_loops=may_end_loops)
                self.relayed.append((error, name, bases, text))
                raise error
            case ("foreign", str() as kind, str() as shown, str(), str()):
                self._stop(TestOutcome.NEEDS_REVIEW, f"the answer cannot cross: {kind[:200]} {shown[:200]}")
        raise self._side.refuse("an answer has the wrong form")

    def _read(self, message: bytes, originals: list[Any]) -> Any:
        try:
            decoder = Decoder(message, self._bounds, self._stand_in, originals, self._may_give)
            return read_safely(decoder, lambda reader: apply_changes(reader, originals))
        except MalformedError as error:
            raise BadReplyError(str(error)) from None

    def _relay(self, out: str, err: str) -> None:
        self._output(out, err)

    def _new_random_state(self) -> bytes | None:
        if self._random is None:
            return None
        now = encode(random_state())
        if now == self._random:
            return None
        self._random = now
        return now

    def _stop(self, trouble: TestOutcome, remark: str) -> NoReturn:
        if self.trouble is None:
            self.trouble, self.remark = trouble, remark
        raise StopTest

    def on_alarm(self, *_: object) -> None:
        """End a test that takes too long by itself; a call in progress ends by its own deadline first."""
        if not self.in_call and self._seconds_left() <= 0:  # else the alarm rings again
            self._stop(TestOutcome.TIMED_OUT, "the test took too long")


class Alarm:
    """Calls ``link.on_alarm`` after so many seconds, unless left before.

    Args:
        link: Whose test it is.
        seconds: How long the test may take.
    """

    def __init__(self, link: Link, seconds: float):
        self._link = link
        self._seconds = seconds

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, self._link.on_alarm)
        signal.setitimer(signal.ITIMER_REAL, self._seconds, 0.5)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)


def import_libraries(names: dict[str, Any], libraries: tuple[tuple[str, str], ...]) -> None:
    """Bind what an answer cell of the solution imports: the student's process is not asked for a library."""
    for name, path in libraries:
        if name not in names:
            module, _, attribute = path.partition(":")
            found = importlib.import_module(module)
            names[name] = getattr(found, attribute) if attribute else found
