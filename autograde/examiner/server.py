"""The examiner's process: warm, single-threaded; forks for each submission and collects the reports."""

import contextlib
import gc
import os
import selectors
import signal
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from autograde.errors import AutogradeError, SandboxUnavailableError
from autograde.examiner.lazy_imports import import_lazily
from autograde.examiner.messages import messages_in, read_message, run_in_forks, write_message
from autograde.examiner.preload import helper_texts, import_all, modules_of_tests
from autograde.examiner.task import Plan, Task, Work
from autograde.limits import Limits
from autograde.outcome import TestResult
from autograde.sandbox import Kind, Zygote, start_zygote
from autograde.student.isolation import die_with_parent

if TYPE_CHECKING:
    from autograde.student.shell import Shell

_MARGIN_SECONDS = 6.0  # beyond the submission's own limit, before an examiner is ended from outside


@dataclass(frozen=True, slots=True)
class Start:
    """The first message: what can be said before the assignment has been read.

    Attributes:
        sandbox: ``bwrap`` or ``none``.
        hidden: Folders that no sandbox may show.
        output_kib: What is kept of one cell's output.
        preload: Modules that the assignment probably imports.
    """

    sandbox: Kind
    hidden: tuple[str, ...]
    output_kib: int
    preload: tuple[str, ...] = field(compare=False)  # a guess

    @classmethod
    def of(cls, sandbox: Kind, hidden: Iterable[Path], limits: Limits, preload: Iterable[str]) -> "Start":
        """Take what matters of what an executor is told."""
        return cls(
            sandbox, tuple(str(folder.resolve()) for folder in hidden), limits.output_kib, tuple(preload)
        )


@dataclass(frozen=True, slots=True)
class Setup:
    """The second message: what to examine with.

    Attributes:
        fingerprint: The assignment's.
        task: The assignment.
        files: The assignment's files.
        preload: Modules that the assignment imports.
        jobs: Submissions at a time.
        plan: The plan, as JSON-ready data; None: make it.
    """

    fingerprint: str
    task: Task
    files: dict[str, bytes]
    preload: tuple[str, ...]
    jobs: int
    plan: dict[str, Any] | None


@dataclass(slots=True)
class Child:
    """A forked examiner at work.

    Attributes:
        number: The work's number.
        pid: Its process, which leads a process group.
        deadline: When it is ended from outside.
        data: What it has sent so far.
    """

    number: int
    pid: int
    deadline: float
    data: bytearray = field(default_factory=bytearray)


def main() -> None:
    """Serve the grader on standard input and output."""
    requests = os.dup(0)
    replies = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the grader hears it, and says what to do
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGHUP, _leave)
    import_lazily()
    start: Start | None = read_message(requests)
    if start is None:
        return
    with tempfile.TemporaryDirectory(prefix="autograde-") as folder:
        zygote: Zygote | None = None
        try:
            root = Path(folder)
            root.chmod(0o755)
            files = root / "files"
            files.mkdir(mode=0o755)
            output_limit = start.output_kib * 1024
            zygote = start_zygote(
                start.sandbox,
                preload=start.preload,
                output_limit=output_limit,
                files=files,
                hidden=[Path(path) for path in start.hidden],
            )
            from autograde.examiner.submission import Bench  # noqa: F401  (the other side warms up meanwhile)
            from autograde.student.rehearsal import rehearse
            from autograde.student.shell import Shell

            shell = Shell(output_limit, tracebacks=False)
            rehearse(shell, output_limit)
            setup: Setup | None = read_message(requests)
            if setup is None:
                return
            _write_files(files, setup.files)
            zygote.set_up(
                preload=setup.preload,
                texts=[cell.released for book in setup.task.books for cell in book.cells if cell.code],
                helpers=helper_texts(setup.task, setup.files),
            )
            Server(setup, zygote, shell, root, files, requests, replies).serve()
        except SandboxUnavailableError as error:
            write_message(replies, ("unavailable", str(error)))
        except BrokenPipeError:
            return
        except Exception as error:
            text = str(error) if isinstance(error, AutogradeError) else traceback.format_exc()
            write_message(replies, ("broken", text))
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is leaving
            if zygote is not None:
                zygote.close()


def _leave(*_: object) -> NoReturn:
    """End in order: what the blocks on the way out do removes the folder and the warm process."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise SystemExit(1)


def _write_files(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


class Server:
    """Keeps so many examiners at work and forwards what they report."""

    def __init__(
        self,
        setup: Setup,
        zygote: Zygote,
        shell: "Shell",
        root: Path,
        files: Path,
        requests: int,
        replies: BinaryIO,
    ):
        from autograde.examiner.submission import Bench
        from autograde.examiner.visibility import constants

        self._setup = setup
        self._requests = requests
        self._replies = replies
        os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
        for book in setup.task.books:
            for cell in book.cells:
                if cell.code:
                    shell.prepare(cell.source)
        scratch = root / "work"
        scratch.mkdir()
        literals = tuple(constants(c.source for c in book.cells if c.code) for book in setup.task.books)
        empty = Plan(setup.fingerprint, ())
        self._bench = Bench(setup.task, empty, zygote, shell, files, scratch, literals)
        self._selector = selectors.DefaultSelector()
        self._children: dict[int, Child] = {}
        self._waiting: deque[tuple[int, Work]] = deque()

    def serve(self) -> None:
        """Make the plan if there is none, then examine until there is nothing left to examine."""
        import_all(modules_of_tests(self._setup.task, self._setup.files))  # while the other side warms up
        self._bench.zygote.wait_ready()
        plan = self._plan()
        import_all(plan.modules)
        gc.collect()
        gc.freeze()
        self._bench = replace(self._bench, plan=plan)
        write_message(self._replies, ("ready", plan.to_json()))
        self._selector.register(self._requests, selectors.EVENT_READ)
        try:
            while self._selector.get_map():
                now = time.monotonic()
                wait = min((child.deadline - now for child in self._children.values()), default=None)
                for key, _ in self._selector.select(None if wait is None else max(wait, 0.0)):
                    if key.fd == self._requests:
                        self._take()
                    else:
                        self._listen(key.fd)
                self._end_overdue()
        finally:
            for child in self._children.values():
                _end_group(child.pid)

    def _plan(self) -> Plan:
        if self._setup.plan is not None:
            return Plan.from_json(self._setup.plan)
        from autograde.examiner.planning import make_plan

        return make_plan(self._bench, self._setup.fingerprint, run_in_forks)

    def _take(self) -> None:
        message = read_message(self._requests)
        if message is None:  # the grader is gone, or wants no more
            self._selector.unregister(self._requests)
            for child in self._children.values():
                _end_group(child.pid)
            self._waiting.clear()
            return
        self._waiting.append(message)
        self._start_next()

    def _start_next(self) -> None:
        if not self._waiting or len(self._children) >= self._setup.jobs:
            return
        number, work = self._waiting.popleft()
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            os.setsid()
            die_with_parent(signal.SIGKILL)
            os.close(reader)
            self._examine(writer, work)
        os.close(writer)
        limit = self._setup.task.limits.submission_seconds + _MARGIN_SECONDS
        self._children[reader] = Child(number, pid, time.monotonic() + limit)
        self._selector.register(reader, selectors.EVENT_READ)

    def _examine(self, writer: int, work: Work) -> None:
        """Examine one submission in this forked process, and end it."""
        from autograde.examiner.submission import examine

        status = 1
        try:
            with os.fdopen(writer, "wb") as stream:

                def progress(number: int, what: str | TestResult) -> None:
                    write_message(stream, ("progress", number, what))

                try:
                    write_message(stream, ("report", examine(self._bench, work, progress)))
                except Exception as error:
                    text = str(error) if isinstance(error, AutogradeError) else traceback.format_exc()
                    write_message(stream, ("failed", text))
            status = 0
        finally:
            os._exit(status)

    def _listen(self, reader: int) -> None:
        child = self._children[reader]
        data = os.read(reader, 2**18)
        if data:
            child.data += data
            return
        self._selector.unregister(reader)
        os.close(reader)
        del self._children[reader]
        os.waitpid(child.pid, 0)
        last: tuple[Any, ...] = ("failed", "an examiner ended without a word")
        progress = []
        for message in messages_in(child.data):
            if message[0] == "progress":
                progress.append(message[1:])
            else:
                last = message
        if last[0] == "failed" and time.monotonic() >= child.deadline:
            last = ("overdue", progress)
        write_message(self._replies, (child.number, *last))
        self._start_next()

    def _end_overdue(self) -> None:
        now = time.monotonic()
        for child in self._children.values():
            if now >= child.deadline:
                _end_group(child.pid)


def _end_group(leader: int) -> None:
    """End a child and what it started; it may be too young to lead a group."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            end(leader, signal.SIGKILL)
