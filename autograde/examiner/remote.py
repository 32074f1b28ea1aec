"""The examiner's server as the grader sees it: another process, spoken to over pipes."""

import os
import selectors
import subprocess
import sys
from typing import Any

from autograde.errors import InfrastructureError, SandboxUnavailableError
from autograde.examiner.messages import frame, read_message
from autograde.examiner.server import Setup, Start
from autograde.examiner.task import Plan
from autograde.sandbox import ONE_THREAD


class ServerProcess:
    """The examiner's server as the grader sees it: it warms up, and works once it is set up.

    Args:
        start: How it warms up.
    """

    def __init__(self, start: Start):
        self.start = start
        command = [sys.executable, "-c", "from autograde.examiner.server import main; main()"]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, **ONE_THREAD},
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._stdin, False)
        self._outgoing = bytearray(frame(start))
        self._plan: Plan | None = None
        self._flush()

    def set_up(self, setup: Setup) -> None:
        """Tell it what to examine with."""
        self.send(setup)

    def wait_ready(self) -> Plan:
        """Wait until it has the plan.

        Raises:
            SandboxUnavailableError: If the sandbox cannot start here.
            InfrastructureError: If it failed.
        """
        if self._plan is None:
            kind, content, *_ = self.receive()
            if kind == "unavailable":
                raise SandboxUnavailableError(content)
            if kind != "ready":
                raise InfrastructureError(f"the examiner could not start: {content}")
            self._plan = Plan.from_json(content)
        return self._plan

    def send(self, message: object) -> None:
        """Queue a message; it is sent while replies are awaited."""
        self._outgoing += frame(message)
        self._flush()

    def receive(self) -> Any:
        """Wait for a message.

        Raises:
            InfrastructureError: If the server is gone.
        """
        while self._outgoing:
            with selectors.DefaultSelector() as selector:
                selector.register(self._stdin, selectors.EVENT_WRITE)
                selector.register(self._stdout, selectors.EVENT_READ)
                ready = {key.fd for key, _ in selector.select()}
            if self._stdout in ready:
                break
            self._flush()
        message = read_message(self._stdout)
        if message is None:
            raise InfrastructureError("the examiner's server ended without a word")
        return message

    def close(self) -> None:
        """End it."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        if self._plan is None:  # at work on it, and deaf meanwhile
            self._process.terminate()
        try:
            self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _flush(self) -> None:
        try:
            while self._outgoing:
                del self._outgoing[: os.write(self._stdin, self._outgoing[: 2**16])]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._outgoing.clear()
