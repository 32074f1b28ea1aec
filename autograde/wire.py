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
    """Wait for a frame as long as it takes (the student's side, which is asked one thing at a time).

    Raises:
        PeerGoneError: If the other side is gone.
    """
    data = bytearray()
    missing = HEADER_BYTES
    while missing > 0:
        part = sock.recv(2**18 if len(data) < HEADER_BYTES else min(missing, 2**20))
        if not part:
            raise PeerGoneError("the examiner is gone")
        data += part
        end = HEADER_BYTES
        if len(data) >= HEADER_BYTES:
            end += _LENGTH.unpack_from(data)[0]
        missing = end - len(data)
    return bytes(data[HEADER_BYTES:])


class Channel:
    """The trusted end of a conversation: nothing the other side does makes it wait past a deadline.

    Args:
        sock: A stream socket; it becomes non-blocking.
        max_bytes: Length above which a frame is refused.
        watched: Another descriptor: :meth:`receive` returns early when it becomes readable.
    """

    def __init__(self, sock: socket.socket, max_bytes: int, watched: int | None = None):
        sock.setblocking(False)
        self.sock = sock
        self._fd = sock.fileno()
        self._readable = select.poll()
        self._readable.register(sock, select.POLLIN)
        if watched is not None:
            self._readable.register(watched, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(sock, select.POLLOUT)
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
                self._wait(self._writable, deadline)
            except OSError as error:
                raise PeerGoneError(str(error)) from None

    def receive(self, deadline: float) -> bytes | None:
        """Return the next frame; None if the watched descriptor becomes readable before one is complete.

        Raises:
            WireError: If the deadline passes, the other side is gone, or the frame is too long.
        """
        while True:
            frame = self._pop()
            if frame is not None:
                return frame
            if not self._wait(self._readable, deadline):
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

    def _wait(self, poll: select.poll, deadline: float) -> bool:
        """Wait until the socket is ready (True) or, failing that, the watched descriptor is (False)."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise DeadlineError("too slow")
        ready = poll.poll(left * 1000)
        if not ready:
            raise DeadlineError("too slow")
        return any(fd == self._fd for fd, _ in ready)
