"""Frames on a stream socket: a length, then that many bytes; deadlines and caps for who must not hang."""

import select
import socket
import struct
import time

_LENGTH = struct.Struct("<I")
HEADER_BYTES = _LENGTH.size


class WireError(Exception):
    """The conversation cannot go on: the text says why."""


class PeerGoneError(WireError):
    """The other side is gone."""


class FloodError(WireError):
    """The other side sent more than it may."""


class DeadlineError(WireError):
    """The other side was too slow."""


def pack(payload: bytes) -> bytes:
    """Return a frame."""
    return _LENGTH.pack(len(payload)) + payload


def send_blocking(sock: socket.socket, payload: bytes) -> None:
    """Send a frame and wait as long as it takes (the student's side)."""
    sock.sendall(pack(payload))


def receive_blocking(sock: socket.socket) -> bytes:
    """Wait for a frame as long as it takes (the student's side).

    Raises:
        PeerGoneError: If the other side is gone.
    """
    (length,) = _LENGTH.unpack(_exactly(sock, HEADER_BYTES))
    return _exactly(sock, length)


def _exactly(sock: socket.socket, count: int) -> bytes:
    parts = []
    while count:
        part = sock.recv(min(count, 2**20))
        if not part:
            raise PeerGoneError("the examiner is gone")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


class Channel:
    """The trusted end of a conversation: nothing the other side does makes it wait past a deadline.

    Args:
        sock: A stream socket; it becomes non-blocking.
        max_bytes: Length above which a frame is refused.
    """

    def __init__(self, sock: socket.socket, max_bytes: int):
        sock.setblocking(False)
        self.sock = sock
        self._max_bytes = max_bytes
        self._buffer = bytearray()

    def send(self, payload: bytes, deadline: float) -> None:
        """Send a frame before the deadline (of ``time.monotonic``).

        Raises:
            WireError: If the other side is gone or does not read.
        """
        view = memoryview(pack(payload))
        while view:
            try:
                view = view[self.sock.send(view) :]
            except BlockingIOError:
                self._wait(write=True, deadline=deadline)
            except OSError as error:
                raise PeerGoneError(str(error)) from None

    def receive(self, deadline: float, watched: int | None = None) -> bytes | None:
        """Return the next frame; None if the descriptor `watched` becomes readable before one is complete.

        Raises:
            WireError: If the deadline passes, the other side is gone, or the frame is too long.
        """
        while True:
            frame = self._pop()
            if frame is not None:
                return frame
            if not self._wait(write=False, deadline=deadline, watched=watched):
                return None
            try:
                data = self.sock.recv(2**18)
            except BlockingIOError:
                continue
            except OSError as error:
                raise PeerGoneError(str(error)) from None
            if not data:
                raise PeerGoneError("closed")
            self._buffer += data

    def _pop(self) -> bytes | None:
        if len(self._buffer) < HEADER_BYTES:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer)
        if length > self._max_bytes:
            raise FloodError(f"a frame of {length} bytes")
        end = HEADER_BYTES + length
        if len(self._buffer) < end:
            return None
        frame = bytes(memoryview(self._buffer)[HEADER_BYTES:end])
        del self._buffer[:end]
        return frame

    def _wait(self, *, write: bool, deadline: float, watched: int | None = None) -> bool:
        """Wait until the socket is ready (True) or, failing that, `watched` is readable (False)."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise DeadlineError("too slow")
        poll = select.poll()
        poll.register(self.sock, select.POLLOUT if write else select.POLLIN)
        if watched is not None:
            poll.register(watched, select.POLLIN)
        ready = [fd for fd, _ in poll.poll(left * 1000)]
        if not ready:
            raise DeadlineError("too slow")
        return self.sock.fileno() in ready
