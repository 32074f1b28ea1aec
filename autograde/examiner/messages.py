"""Messages between our own processes: pickled, for both ends are ours."""

import os
import pickle
import signal
import struct
import traceback
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from autograde.errors import AutogradeError
from autograde.student.isolation import die_with_parent

_LENGTH = struct.Struct("<Q")


def write_message(stream: BinaryIO, message: object) -> None:
    """Send one message between our own processes."""
    stream.write(frame(message))
    stream.flush()


def frame(message: object) -> bytes:
    """Return the bytes of one message between our own processes."""
    data = pickle.dumps(message)
    return _LENGTH.pack(len(data)) + data


def read_message(descriptor: int) -> Any:
    """Receive one message between our own processes; None at the end."""
    head = _read_exactly(descriptor, _LENGTH.size)
    if head is None:
        return None
    data = _read_exactly(descriptor, _LENGTH.unpack(head)[0])
    return None if data is None else pickle.loads(data)


def _read_exactly(descriptor: int, count: int) -> bytes | None:
    data = bytearray()
    while len(data) < count:
        part = os.read(descriptor, min(count - len(data), 2**20))
        if not part:
            return None
        data += part
    return bytes(data)


def messages_in(data: bytearray) -> list[Any]:
    """Return the whole messages that some bytes hold."""
    found, at = [], 0
    while at + _LENGTH.size <= len(data):
        (length,) = _LENGTH.unpack_from(data, at)
        end = at + _LENGTH.size + length
        if end > len(data):
            break
        found.append(pickle.loads(bytes(data[at + _LENGTH.size : end])))
        at = end
    return found


def run_in_forks(functions: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run functions side by side, each in a process forked for it, and return what they returned.

    Raises:
        AutogradeError: If one failed.
    """
    running = [_fork(function) for function in functions]
    messages = []
    try:
        for _, reader in running:
            messages.append(read_message(reader))
    except BaseException:
        for pid, _ in running:
            os.kill(pid, signal.SIGKILL)
        raise
    finally:
        for pid, reader in running:
            os.close(reader)
            os.waitpid(pid, 0)
    for message in messages:
        if message is None or not message[0]:
            raise AutogradeError(message[1] if message else "a process ended without a word")
    return [message[1] for message in messages]


def _fork(function: Callable[[], Any]) -> tuple[int, int]:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        die_with_parent(signal.SIGKILL)
        os.close(reader)
        with os.fdopen(writer, "wb") as stream:
            try:
                write_message(stream, (True, function()))
            except BaseException:
                write_message(stream, (False, traceback.format_exc()))
    finally:
        os._exit(0)
