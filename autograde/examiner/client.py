"""The trusted end of the conversation with one submission's processes."""

import marshal
import os
import secrets
import signal
import socket
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from autograde.errors import InfrastructureError
from autograde.examiner.usage import Watch
from autograde.limits import Limits
from autograde.plain_data import Bounds, MalformedError, decode
from autograde.sandbox import SCRATCH, Zygote
from autograde.student.zygote_report import REPORT
from autograde.wire import Channel, DeadlineError, FloodError, PeerGoneError, WireError, pack

_START_SECONDS = 30.0  # for our own processes, on a machine that is busy
_END_SECONDS = 10.0
_MOST_STRAYS = 10_000
_GRACE_SECONDS = 0.5  # between the interrupt and the end


class StudentError(Exception):
    """The student's process gave no usable answer; the text says why (for the instructor)."""


class TimedOutError(StudentError):
    """It was too slow."""


class CrashedError(StudentError):
    """It ended."""


class BadReplyError(StudentError):
    """It sent something that is no answer."""


class Container:
    """One submission's pid namespace, with its scratch folder.

    Args:
        zygote: The warm process that it is forked from.
        limits: The submission's limits.
        files: Files for the working folder: relative path -> content.
        links: Read-only files: relative path -> target inside the sandbox.
        folder: Where the scratch folder is made if there is no sandbox.

    Raises:
        InfrastructureError: If it cannot be started.
    """

    def __init__(
        self, zygote: Zygote, limits: Limits, files: dict[str, bytes], links: dict[str, str], folder: Path
    ):
        self._isolated = zygote.kind == "bwrap"
        self._temporary = (
            None if self._isolated else tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True)
        )
        self._ctl, theirs = socket.socketpair()
        spec = {
            "limits": asdict(limits),
            "scratch": self._temporary.name if self._temporary else SCRATCH,
            "files": files,
            "links": links,
        }
        self._ctl.settimeout(_START_SECONDS)
        try:
            with theirs:
                socket.send_fds(zygote.control, [b"new"], [theirs.fileno()])
            self._ctl.sendall(pack(marshal.dumps(spec)))
            answer, descriptors, _, _ = socket.recv_fds(self._ctl, 1, 1)
            if answer != b"R" or not descriptors:
                raise OSError(self._ctl.recv(500).decode(errors="replace"))
        except OSError as error:
            self._give_up()
            raise InfrastructureError(f"a container did not start: {error}") from None
        self._pidfd = descriptors[0]
        self._buffer = b""
        self.dead = False
        self.peak_kib = 0
        self.watch = Watch(_pid_of(self._pidfd), limits.memory_mib, lambda: self._command(b"X"))

    @property
    def watched(self) -> int:
        """A descriptor that is readable when a kernel has ended."""
        return self._ctl.fileno()

    def start_kernel(self) -> socket.socket:
        """Start a kernel and return our end of the conversation with it."""
        ours, theirs = socket.socketpair()
        with theirs, self.watch.lock:
            self.watch.verdict = ""
            try:
                socket.send_fds(self._ctl, [b"K"], [theirs.fileno()])
            except OSError as error:
                ours.close()
                raise InfrastructureError(f"a container is gone: {error}") from None
        return ours

    def interrupt(self) -> None:
        """Send the kernel what Ctrl-C sends."""
        self._command(b"I")

    def end_kernel(self) -> None:
        """End the kernel and everything that it started."""
        self._command(b"X")
        self.wait_death(_END_SECONDS)

    def wait_death(self, seconds: float) -> int | None:
        """Wait for a kernel's end; return its wait status, None if it is still running."""
        self._ctl.settimeout(max(seconds, 0.001))
        try:
            while len(self._buffer) < REPORT.size:
                data = self._ctl.recv(REPORT.size - len(self._buffer))
                if not data:
                    self.dead = True
                    return -1
                self._buffer += data
        except TimeoutError:
            return None
        except OSError:
            self.dead = True
            return -1
        _, _, status, peak = REPORT.unpack(self._buffer)
        self._buffer = b""
        self.peak_kib = max(self.peak_kib, peak)
        return int(status)

    def close(self) -> None:
        """End everything in it; never raises."""
        self.watch.stop()
        self._command(b"E")
        while not self.dead and self.wait_death(_END_SECONDS) not in (None, -1):
            continue
        try:
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        except OSError:
            self.dead = True
        os.close(self._pidfd)
        self._give_up()

    def _give_up(self) -> None:
        self._ctl.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _command(self, command: bytes) -> None:
        try:
            self._ctl.settimeout(_END_SECONDS)
            self._ctl.sendall(command)
        except OSError:
            self.dead = True


def _pid_of(pidfd: int) -> int:
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    return 0


class Conversation:
    """Requests to one kernel, each answered before its deadline or not at all.

    Args:
        container: Where the kernel runs.
        limits: The submission's limits.
        latest: When the submission's time is used up (``time.monotonic``).
    """

    def __init__(self, container: Container, limits: Limits, latest: float):
        self._container = container
        self._bounds = Bounds(max_bytes=limits.reply_mib * 2**20)
        self._latest = latest
        self._channel = Channel(container.start_kernel(), self._bounds.max_bytes, container.watched)
        self._number = secrets.randbits(60)  # not to be guessed by a thread that answers in advance
        self.strays = 0  # frames that answered nothing that was asked
        self.alive = True

    def ask(self, deadline: float, verb: str, *arguments: Any) -> tuple[Any, ...]:
        """Ask one thing and return the reply, without its number.

        The deadline moves on by what the process has to wait while others' processes run.

        Raises:
            StudentError: If there is no usable answer. The kernel has ended (see `alive`) after a
                :class:`CrashedError`, a :class:`BadReplyError`, and an interrupt that it ignored.
        """
        self._number += 1
        try:
            self._channel.send(marshal.dumps((self._number, verb, *arguments)), deadline)
            return self._reply(deadline)
        except DeadlineError:
            return self._interrupt()
        except (FloodError, MalformedError) as error:
            self.end()
            raise BadReplyError(str(error)) from None
        except PeerGoneError:
            raise self._gone() from None

    def end(self) -> None:
        """End the kernel and everything that it started."""
        if self.alive:
            self.alive = False
            self._container.end_kernel()
            self._channel.sock.close()

    def _reply(self, deadline: float) -> tuple[Any, ...]:
        watch = self._container.watch
        began, end = watch.starved, deadline
        while True:
            try:
                frame = self._channel.receive(end)
            except DeadlineError:
                end = min(deadline + watch.look() - began, self._latest)
                if end <= time.monotonic():
                    raise
                continue
            if frame is None:
                raise PeerGoneError("its process ended")
            reply = decode(frame, self._bounds)
            if type(reply) is not tuple or len(reply) < 2:
                raise MalformedError("not an answer")
            if type(reply[0]) is int and reply[0] == self._number:
                return reply[1:]
            self.strays += 1
            if self.strays > _MOST_STRAYS:
                raise MalformedError("answers to what was not asked")

    def _interrupt(self) -> tuple[Any, ...]:
        self._container.interrupt()
        try:
            self._reply(time.monotonic() + _GRACE_SECONDS)
        except (WireError, MalformedError):
            self.end()
        raise TimedOutError("time limit reached")

    def _gone(self) -> CrashedError:
        status = self._container.wait_death(_GRACE_SECONDS)
        if status is None:
            self.end()
            return CrashedError("its process closed the conversation")
        self.alive = False
        self._channel.sock.close()
        if self._container.watch.verdict:
            return CrashedError(self._container.watch.verdict)
        if status < 0:
            return CrashedError("its process ended")
        if os.WIFSIGNALED(status):
            return CrashedError(f"its process was ended by {_signal_name(os.WTERMSIG(status))}")
        return CrashedError(f"its process ended itself with status {os.WEXITSTATUS(status)}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
