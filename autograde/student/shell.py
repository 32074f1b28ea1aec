"""A notebook's interpreter without a kernel: IPython's shell, and outputs kept as plain data."""

import ast
import asyncio
import builtins
import contextlib
import os
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import CO_COROUTINE
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from autograde.student.outputs import KEPT, Outputs, Stream
from autograde.student.score import Value


class _Publisher(DisplayPublisher):
    outputs: Outputs

    def publish(self, data: Any, *_: Any, **__: Any) -> None:
        self.outputs.show("display_data", data)

    def clear_output(self, wait: bool = False) -> None:
        self.outputs.drop_all()


class _Hook(DisplayHook):
    outputs: Outputs
    quiet_cell = False
    value: Any = None
    text: str | None = None  # of the value; None: nothing was shown

    def quiet(self) -> bool:
        return self.quiet_cell

    def start_displayhook(self) -> None:
        pass

    def write_output_prompt(self) -> None:
        pass

    def compute_format_data(self, result: Any) -> Any:
        shell: Any = self.shell
        return shell.display_formatter.format(result, include=KEPT)  # nobody sees the other forms

    def __call__(self, result: Any = None) -> None:
        self.value = result
        super().__call__(result)  # type: ignore[no-untyped-call]

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        self.outputs.show("execute_result", format_dict)
        self.text = str(format_dict.get("text/plain", ""))

    def finish_displayhook(self) -> None:
        pass

    def log_output(self, format_dict: Any) -> None:
        pass


class _NotebookShell(InteractiveShell):
    displayhook_class = _Hook
    display_pub_class = _Publisher

    def ask_exit(self) -> None:
        raise SystemExit("exit() / quit()")

    def init_virtualenv(self) -> None:
        pass

    def init_history(self) -> None:
        super().init_history()  # type: ignore[no-untyped-call]
        assert self.history_manager is not None
        self.history_manager.enabled = False

    def enable_gui(self, gui: Any = None) -> None:
        pass


@dataclass(slots=True)
class Ran:
    """How one cell ended.

    Attributes:
        error: What it raised; None if nothing.
        value: Its last value; None if there was none to show.
        filename: The name under which its code was compiled.
    """

    error: BaseException | None
    value: Value | None
    filename: str


class Shell:
    """One notebook's interpreter.

    Args:
        output_limit: Characters that one cell may print and that are kept.
        tracebacks: Keep the lines of tracebacks with what a cell shows.
        stdout_fd: Descriptor that ``sys.stdout.fileno()`` gives.
        stderr_fd: The same for ``sys.stderr``.
    """

    def __init__(self, output_limit: int, *, tracebacks: bool = True, stdout_fd: int = 1, stderr_fd: int = 2):
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        config.InteractiveShell.autocall = 0
        self.outputs = Outputs(output_limit)
        ip: Any = _NotebookShell.instance(config=config)
        self.ip = ip
        parts: list[Any] = [self.ip.display_pub, self.ip.displayhook]
        for part in parts:
            part.outputs = self.outputs
        for name in ("pip", "conda", "mamba", "micromamba", "uv"):
            self.ip.register_magic_function(_no_install, magic_kind="line", magic_name=name)
        self._tracebacks = tracebacks
        self._stdout_fd, self._stderr_fd = stdout_fd, stderr_fd
        self._loop: asyncio.AbstractEventLoop | None = None
        self.names: dict[str, Any] = self.ip.user_ns
        self.count = 0
        self._ready: dict[str, tuple[str, list[Any]]] = {}  # text -> its file name and code
        self.ip.display_formatter.format(0)  # makes its parts, here instead of in every fork

    def take_streams(self) -> None:
        """Make this shell's outputs the process's ``sys.stdout`` and ``sys.stderr``."""
        sys.stdout = Stream(self.outputs, "stdout", self._stdout_fd)
        sys.stderr = Stream(self.outputs, "stderr", self._stderr_fd)
        sys.displayhook = self.ip.displayhook
        builtins.input = _no_input
        builtins.display = _display  # type: ignore[attr-defined]

    def prepare(self, text: str) -> None:
        """Compile a cell that will run later, perhaps in many forks, if it can be compiled."""
        filename = self.ip.compile.cache(text, 0, raw_code=text)
        with contextlib.suppress(SyntaxError, ValueError):
            self._ready[text] = (filename, list(self._compile(text, filename)))

    def forget(self, text: str) -> str:
        """Undo :meth:`prepare`; return the name under which the cell was compiled."""
        return self._ready.pop(text)[0]

    def run(self, text: str) -> Ran:
        """Run one cell and keep what it shows in `outputs`.

        Raises:
            BaseException: Never on purpose; an exception of the cell is returned.
        """
        self.count += 1
        hook = self.ip.displayhook
        hook.quiet_cell, hook.value, hook.text = text.rstrip().endswith(";"), None, None
        self.ip.execution_count = self.count + 1  # as IPython has it while a cell runs
        events = self.ip.events
        events.trigger("pre_execute")
        filename = ""
        error: BaseException | None = None
        try:
            if text in self._ready and not self.ip.ast_transformers:
                filename, ready = self._ready[text]
                codes = iter(ready)
            else:
                filename = self.ip.compile.cache(text, self.count, raw_code=text)
                codes = self._compile(text, filename)
            for code in codes:
                self._exec(code)
        except BaseException as caught:
            error = caught
            self._show_error(caught, filename)
        try:
            events.trigger("post_execute")
        except BaseException as caught:
            error = error or caught
        value = None if hook.text is None or error is not None else Value.of(hook.value, hook.text)
        hook.value = None
        return Ran(error, value, filename)

    def _compile(self, text: str, filename: str) -> Iterator[Any]:
        compiler = self.ip.compile
        try:
            tree = compiler.ast_parse(text, filename=filename)
        except SyntaxError:
            transformed = self.ip.transform_cell(text)
            if transformed == text or transformed == text + "\n":
                raise
            tree = compiler.ast_parse(transformed, filename=filename)
        for transformer in self.ip.ast_transformers:
            tree = transformer.visit(tree)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        try:
            whole = [self._code(tree, filename, "exec")] if tree.body else []
        except (SyntaxError, ValueError):
            # A cell that cannot be compiled runs up to its bad statement, as in a notebook.
            yield from (self._code(ast.Module([node], []), filename, "exec") for node in tree.body)
            return
        yield from whole
        if last is not None:
            yield self._code(ast.Interactive([last]), filename, "single")

    def _code(self, tree: ast.AST, filename: str, mode: str) -> Any:
        with self.ip.compile.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
            return self.ip.compile(tree, filename, mode)

    def _exec(self, code: Any) -> None:
        if code.co_flags & CO_COROUTINE:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
            self._loop.run_until_complete(eval(code, self.names))
        else:
            exec(code, self.names)

    def _show_error(self, error: BaseException, filename: str) -> None:
        name = type(error).__name__
        try:
            text = str(error)
        except Exception:
            text = ""
        self.outputs.fail(name, text, format_error(error) if self._tracebacks else [])


def format_error(error: BaseException) -> list[str]:
    """Return a traceback's lines, without the frames of this module and above."""
    try:
        frame = None if isinstance(error, SyntaxError) else error.__traceback__
        while frame is not None and frame.tb_frame.f_code.co_filename == __file__:
            frame = frame.tb_next
        shown = traceback.TracebackException(type(error), error, frame, compact=True, limit=-30)
        return [line.rstrip("\n") for part in shown.format() for line in part.splitlines()]
    except Exception:
        return [type(error).__name__]


def _no_input(prompt: object = "") -> str:
    raise StdinNotImplementedError("评分时不能使用 input() / input() is not available while grading")


def _no_install(line: str) -> None:
    print("评分时不安装软件包，这一行没有执行 / nothing is installed while grading: this line did not run")


def _display(*values: Any, **options: Any) -> Any:
    from IPython.display import display

    return display(*values, **options)  # type: ignore[no-untyped-call]


def prepare_figures(shell: Shell, *, render: bool) -> None:
    """Let figures end with their cell, as in a notebook; make pictures of them only if `render`."""
    if "matplotlib.figure" not in sys.modules:
        return
    from IPython.core.pylabtools import select_figure_formats

    select_figure_formats(shell.ip, {"png"} if render else set())  # type: ignore[no-untyped-call]


def read_descriptor(descriptor: int, limit: int) -> str:
    """Return, and remove, what was written to a file behind a standard descriptor."""
    try:
        size = os.fstat(descriptor).st_size
        if not size:
            return ""
        data = os.pread(descriptor, min(size, limit), 0)
        os.ftruncate(descriptor, 0)
    except OSError:
        return ""
    return data.decode("utf-8", "replace")
