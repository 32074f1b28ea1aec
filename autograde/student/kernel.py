"""The student's process: runs their cells and answers the examiner's requests, one at a time.

Everything in this process may be under the student's control, this module's code included. Nothing here is a
defence: the examiner believes no reply beyond "this is what the student's code answered".
"""

import importlib
import marshal
import os
import random
import signal
import socket
import sys
from _signal import signal as set_handler  # type: ignore[import-not-found]  # makes no enum members
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import chain, islice
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograde.plain_data import (
    LIST_ITERATOR,
    Decoder,
    Encoder,
    NotPlainError,
    Snapshot,
    TooManyError,
    decode,
    encode,
    loaded,
)
from autograde.student.shell import Shell, prepare_figures, read_descriptor
from autograde.student.undrawn import Undrawn, undrawn
from autograde.wire import PeerGoneError, receive_blocking, send_blocking

_TEXT = 4000  # characters of an exception's text, or of a repr, that cross
_LARGEST_DIGEST = 100_000  # values in a name's value above which changes in it go unseen
_LONGEST_ITERATOR = 100_000  # items; one that gives more does not cross


class Kernel:
    """Answers requests on a socket.

    Args:
        wire: The conversation with the examiner.
        shell: The prebuilt interpreter.
        output_limit: Characters of one cell's output that are kept.
    """

    def __init__(self, wire: socket.socket, shell: Shell, output_limit: int):
        self._wire = wire
        self._shell = shell
        self._limit = output_limit
        self._handles: list[object] = []
        self._numbers: dict[int, int] = {}
        self._busy = False
        self._verbs: dict[str, Callable[..., tuple[object, ...]]] = {
            "run": self.run,
            "get": self.get,
            "call": self.call,
            "names": self.names,
        }

    def serve(self) -> None:
        """Answer until the examiner is gone."""
        reseed()
        self._shell.take_streams()
        while True:
            try:
                request = marshal.loads(receive_blocking(self._wire))
            except PeerGoneError:
                return
            number, verb, *rest = request
            set_handler(signal.SIGINT, self._interrupted)
            reply = self._verbs[verb](*rest)
            send_blocking(self._wire, encode((number, *reply)))

    def _interrupted(self, *_: object) -> None:
        if self._busy:
            raise KeyboardInterrupt("超过时限 / time limit reached")

    # requests

    def run(self, text: str, figures: str) -> tuple[object, ...]:
        """Run a cell: its outputs, its error with the lines of it that failed, its value (text and number).

        And whether it wanted to draw although figures are ``undrawn``.

        `figures` says what becomes of them: ``made`` as objects, ``shown`` as pictures too, or ``undrawn``.
        """
        images = figures == "shown"
        outputs = self._shell.outputs
        outputs.clear()
        outputs.images = images
        if images:
            prepare_figures(self._shell, render=True)
        asked = Undrawn.asked
        self._busy = True
        try:
            with undrawn() if figures == "undrawn" else nullcontext():
                ran = self._shell.run(text)
            error = None if ran.error is None else describe(ran.error, ran.filename)
        except KeyboardInterrupt as late:
            ran, error = None, describe(late, "")
        finally:
            self._busy = False
        self._collect_descriptors()
        if images:
            prepare_figures(self._shell, render=False)
        value = (ran.value.text, ran.value.number) if ran and ran.value else None
        return ("ran", outputs.plain(), error, value, Undrawn.asked > asked)

    def get(self, names: list[str], run_out: bool) -> tuple[object, ...]:
        """Encode values: (name, "plain", bytes), (name, "foreign", type, text) or (name, "missing").

        `run_out` says whether iterators may be: their items are kept for whatever reads them next.
        """
        values: list[tuple[object, ...]] = []
        for name in names:
            if name not in self._shell.names:
                values.append((name, "missing"))
                continue
            value = self._shell.names[name]
            try:
                if run_out:
                    value = self._shell.names[name] = listed(value)
                elif type(value) is LIST_ITERATOR:
                    raise NotPlainError("iterator")
                values.append((name, "plain", encode(value, self._handle)))
            except Exception:
                values.append((name, "foreign", *self._foreign(value)))
        return ("values", values)

    def call(self, handle: int, arguments: bytes, state: bytes | None) -> tuple[object, ...]:
        """Call a function: what it returned or raised, what it changed in its arguments, what it printed."""
        outputs = self._shell.outputs
        outputs.clear()
        decoder = Decoder(arguments, hook=self._resolve, admit=lambda _: True)
        args, named = decoder.get()
        before = Snapshot(decoder.objects)
        if state is not None:
            set_random_state(decode(state))
        function: Any = self._handles[handle]
        outcome: tuple[object, ...]
        self._busy = True
        try:
            value = listed(function(*args, **dict(named)))
            try:
                outcome = ("returned", before.encode_outcome(value, self._handle))
            except NotPlainError as error:
                outcome = ("foreign", *self._foreign(value, error))
        except BaseException as error:
            outcome = self._raised(error, before)
        finally:
            self._busy = False
        self._collect_descriptors()
        return (*outcome, outputs.text_of("stdout"), outputs.text_of("stderr"))

    def names(self) -> tuple[object, ...]:
        """Describe every name (only asked for while planning, of the instructor's own solution).

        Each is (name, identity, digest or None where the value cannot cross, library path or None, whether it
        is a live object: one that can neither cross nor be defined again by running its cell).
        """
        rows: list[tuple[object, ...]] = []
        for name, value in list(self._shell.names.items()):
            encoder = Encoder(max_items=_LARGEST_DIGEST)
            try:
                encoder.put(value)
                digest = hash(bytes(encoder.buffer))
            except TooManyError:
                digest = 0
            except Exception:
                digest = None
            live = digest is None and not isinstance(value, FunctionType | type | ModuleType)
            rows.append((name, id(value), digest, library_path(value), live))
        return ("names", rows)

    # helpers

    def _raised(self, error: BaseException, before: Snapshot) -> tuple[object, ...]:
        name, mro, text, _ = describe(error, "")
        try:
            changes = before.encode_outcome(error.args)
        except (NotPlainError, RecursionError):
            try:
                changes = before.encode_outcome((text,))
            except NotPlainError:
                return ("foreign", "argument", text)
        return ("raised", name, mro, text, changes)

    def _resolve(self, handle: int | str) -> object:
        """Return the function that an argument stands for: a handle's, ``module:name`` or ``:name``."""
        if isinstance(handle, int):
            return self._handles[handle]
        path, _, name = handle.partition(":")
        if not path:
            return self._shell.names[name]
        module = importlib.import_module(path)
        return getattr(module, name) if name else module

    def _handle(self, value: object) -> object:
        if not callable(value):
            raise NotPlainError(type(value).__qualname__)
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._handles)
            self._handles.append(value)
        return (number, *_looks(value))

    def _foreign(self, value: object, error: BaseException | None = None) -> tuple[str, str]:
        try:
            return (str(error or type(value).__qualname__)[:200], repr(value)[:200])
        except Exception:
            return ("?", "")

    def _collect_descriptors(self) -> None:
        for name, descriptor in (("stdout", 1), ("stderr", 2)):
            self._shell.outputs.write(name, read_descriptor(descriptor, self._limit))


def listed(value: Any) -> Any:
    """Return what a built-in iterator has left as an iterator of a list, which can cross; else the value."""
    kind = type(value)
    if kind is LIST_ITERATOR or kind.__module__ not in ("builtins", "itertools"):
        return value
    if not isinstance(value, Iterator):
        return value
    items = list(islice(value, _LONGEST_ITERATOR))
    return iter(items) if len(items) < _LONGEST_ITERATOR else chain(items, value)


def library_path(value: object) -> str | None:
    """Return ``module`` or ``module:name`` for what a library defines, None for what the notebook does."""
    if isinstance(value, ModuleType):
        return value.__name__ if sys.modules.get(value.__name__) is value else None
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if type(module) is not str or type(name) is not str or module == "__main__":
        return None
    return f"{module}:{name}" if getattr(sys.modules.get(module), name, None) is value else None


def _looks(value: object) -> tuple[str, str, object]:
    """Return a callable's name, documentation and signature (None if it is not a plain function)."""
    name, doc = getattr(value, "__name__", ""), getattr(value, "__doc__", None)
    name = name if type(name) is str else ""
    doc = doc[:_TEXT] if type(doc) is str else ""
    if type(value) is not FunctionType:
        return (name, doc, None)
    code: CodeType = value.__code__
    defaults = value.__defaults__ or ()
    try:
        encode((defaults, value.__kwdefaults__))
    except Exception:
        return (name, doc, None)
    shape = (
        list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + 2]),
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_flags & 0x0C,
        list(defaults),
        dict(value.__kwdefaults__ or {}),
    )
    return (name, doc, shape)


def describe(error: BaseException, filename: str) -> tuple[str, list[str], str, list[int]]:
    """Return an exception's class name, its bases' names, its text, and the cell's lines that it passed."""
    cls = type(error)
    try:
        text = str(error)[:_TEXT]
    except BaseException:
        text = ""
    lines: list[int] = []
    frame = error.__traceback__
    while frame is not None and len(lines) < 100:
        if frame.tb_frame.f_code.co_filename == filename:
            lines.append(frame.tb_lineno)
        frame = frame.tb_next
    return (cls.__name__, [base.__name__ for base in cls.__mro__][:16], text, lines)


def reseed() -> None:
    """Give this process random numbers of its own: a fork inherits its parent's state."""
    random.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    if torch := loaded("torch"):
        torch.seed()


def random_state() -> dict[str, object]:
    """Return the state of the global random generators that are in use, as plain data."""
    state: dict[str, object] = {"random": random.getstate()}
    if "numpy.random" in sys.modules:
        state["numpy"] = sys.modules["numpy.random"].get_state()
    if torch := loaded("torch"):
        state["torch"] = torch.get_rng_state()
    return state


def set_random_state(state: dict[str, Any]) -> None:
    """Set the global random generators to :func:`random_state`'s states."""
    random.setstate(state["random"])
    if "numpy" in state:
        importlib.import_module("numpy.random").set_state(state["numpy"])
    if "torch" in state:
        importlib.import_module("torch").set_rng_state(state["torch"])


def start(wire: socket.socket, shell: Shell, *, output_limit: int, scratch: str, work: str) -> None:
    """Turn a freshly forked process into a student's process and serve until the end."""
    os.chdir(work)
    os.environ.update(HOME=work, TMPDIR=scratch, PWD=work)
    sys.path.insert(0, work)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    for descriptor in (1, 2):
        path = f"{scratch}/.std{descriptor}"
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        Path(path).unlink()
        os.dup2(file, descriptor)
        os.close(file)
    os.closerange(3, wire.fileno())
    os.closerange(wire.fileno() + 1, 1024)
    Kernel(wire, shell, output_limit).serve()
