"""What is done before there is anything to do: warming up, and rehearsing."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograde.__main__ import main
from autograde.examiner.remote import ServerProcess
from autograde.examiner.server import Start
from autograde.executors import LocalExecutor
from autograde.limits import DEFAULT
from autograde.sandbox import Kind
from autograde.warming import warm_up
from tests.engine.conftest import SHORT
from tests.engine.course_in_code import answer, assignment, check, outcomes_of, submission

TASK = assignment(answer("x = 1"), check("t", "assert x == 1"))


def processes_below(pid: int) -> list[int]:
    """Return a process and every descendant that still runs."""
    done = subprocess.run(["ps", "-eo", "pid=,ppid=,stat="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    found = [int(mine) for mine, _, state in rows if int(mine) == pid and state[0] != "Z"]
    todo = [pid]
    while todo:
        parent = todo.pop()
        below = [int(mine) for mine, its, state in rows if int(its) == parent and state[0] != "Z"]
        found += below
        todo += below
    return found


def server_pid(server: ServerProcess) -> int:
    return server._process.pid


@pytest.fixture
def started(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    server = ServerProcess(Start.of(kind, [tmp_path], SHORT, ["numpy"]))
    yield server
    server.close()


@pytest.mark.parametrize("seconds", [0.0, 1.5], ids=["at once", "later"])
def test_a_server_that_gets_nothing_to_do_leaves_nothing(
    started: ServerProcess, tmp_path: Path, seconds: float
) -> None:
    time.sleep(seconds)
    alive = processes_below(server_pid(started))
    assert len(alive) >= (1 if seconds == 0 else 2)
    started.close()
    started.close()  # whoever made it closes it too
    end = time.monotonic() + 10
    while time.monotonic() < end and any(Path(f"/proc/{pid}").exists() for pid in alive):
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in alive)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_an_executor_works_with_a_server_that_is_warm(
    started: ServerProcess, kind: Kind, tmp_path: Path
) -> None:
    with LocalExecutor(TASK, jobs=1, sandbox=kind, limits=SHORT, hidden=[tmp_path], warm=started) as executor:
        (finished,) = executor.run([submission(TASK, {"answer": "x = 1"})])
        assert executor._server is started
    assert outcomes_of(finished) == {"t": "passed"}
    assert started._process.poll() is not None


def test_an_executor_does_not_use_a_server_that_hides_or_keeps_something_else(
    started: ServerProcess, kind: Kind, tmp_path: Path
) -> None:
    with LocalExecutor(TASK, jobs=1, sandbox=kind, limits=SHORT, warm=started) as executor:
        assert executor._server is not started
        assert started._process.poll() is not None
        (finished,) = executor.run([submission(TASK, {"answer": "x = 2"})])
    assert outcomes_of(finished) == {"t": "failed"}


def class_of(root: Path, *, graded: bool) -> Path:
    (root / "source" / "ps1").mkdir(parents=True)
    (root / "source" / "ps1" / "helper.py").write_text("import torch")
    for student in ("ann", "ben"):
        (root / "submitted" / student / "ps1").mkdir(parents=True)
        (root / "autograded" / student / "ps1").mkdir(parents=True)
        if graded or student == "ann":
            (root / "autograded" / student / "ps1" / ".autograde.json").write_text("{}")
    return root


def test_a_class_with_an_ungraded_submission_is_warmed_up_for(kind: Kind, tmp_path: Path) -> None:
    server = warm_up(class_of(tmp_path, graded=False), "ps1", kind, DEFAULT)
    assert server is not None
    server.close()
    assert server.start == Start.of(kind, [tmp_path], DEFAULT, [])
    assert "torch" in server.start.preload


def test_nothing_is_warmed_up_for_a_class_that_is_graded(kind: Kind, tmp_path: Path) -> None:
    assert warm_up(class_of(tmp_path, graded=True), "ps1", kind, DEFAULT) is None
    assert warm_up(tmp_path, "ps2", kind, DEFAULT) is None
    assert warm_up(tmp_path / "nowhere", "ps1", kind, DEFAULT) is None


def test_a_run_that_fails_early_ends_what_was_warming_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    closed = []

    class Warm:
        def close(self) -> None:
            closed.append(self)

    warm = Warm()
    monkeypatch.setattr("autograde.warming.warm_up", lambda *_: warm)
    class_of(tmp_path, graded=False)
    assert main(["grade", "ps1", "--course", str(tmp_path)]) == 2  # no notebook in its source
    assert "ps1" in capfd.readouterr().err
    assert closed == [warm]


REHEARSED = """
import linecache, sys
from autograde.student.rehearsal import rehearse
from autograde.student.shell import Shell

shell = Shell(1000, tracebacks={tracebacks})
names, cached, streams = dict(shell.names), set(linecache.cache), (sys.stdout, sys.stderr, sys.displayhook)
rehearse(shell, 1000)
assert shell.names == names and shell.names is shell.ip.user_ns
assert shell.count == 0 and shell.outputs.items == [] and shell._ready == {{}}
assert {{name for name in linecache.cache if "ipython" in name}} <= cached
assert (sys.stdout, sys.stderr, sys.displayhook) == streams
real = sys.stdout
shell.take_streams()
ran = shell.run("1/0")
(shown,) = shell.outputs.plain()
assert shown["ename"] == "ZeroDivisionError" and bool(shown["traceback"]) == {tracebacks}, shown
shell.run("x = 41\\nx + 1")
print("value", shell.run("_ + 1").value.text, shell.count, file=real)
"""


@pytest.mark.parametrize("tracebacks", [True, False])
def test_a_rehearsal_leaves_the_shell_as_it_was(tracebacks: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REHEARSED.format(tracebacks=tracebacks)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "value 43 3"
