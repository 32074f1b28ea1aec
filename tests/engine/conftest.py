"""Executors that the engine's tests share: starting one costs a second."""

import subprocess
from collections.abc import Callable, Iterator

import pytest

from autograde.course import Assignment
from autograde.executors import LocalExecutor
from autograde.limits import Limits
from autograde.sandbox import Kind, find_bwrap

# Short enough for tests that hang on purpose, long enough for a machine that is busy with something else.
SHORT = Limits(cell_seconds=8.0, call_seconds=6.0, patience_seconds=2.5, submission_seconds=90.0)

Start = Callable[..., LocalExecutor]


def why_no_sandbox() -> str:
    """Return why bubblewrap cannot start here; "" if it can."""
    try:
        command = [find_bwrap(), "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except Exception as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip() or "it failed"


@pytest.fixture(scope="session")
def sandbox_works() -> None:
    reason = why_no_sandbox()
    if reason:
        pytest.skip(f"no sandbox here: {reason}")


@pytest.fixture(
    scope="session", params=["none", pytest.param("bwrap", marks=pytest.mark.sandbox)], ids=["bare", "bwrap"]
)
def each_kind(request: pytest.FixtureRequest) -> Kind:
    """Without and with a sandbox."""
    if request.param == "bwrap":
        request.getfixturevalue("sandbox_works")
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def kind() -> Kind:
    """With a sandbox where one works: the rest of the engine is the same."""
    return "none" if why_no_sandbox() else "bwrap"


@pytest.fixture(scope="session")
def start() -> Iterator[Start]:
    """Start executors, one for each assignment and kind; all are closed at the end."""
    running: dict[tuple[str, str, Limits], LocalExecutor] = {}

    def started(task: Assignment, kind: Kind, limits: Limits = SHORT) -> LocalExecutor:
        key = (task.fingerprint, kind, limits)
        if key not in running:
            running[key] = LocalExecutor(task, jobs=2, sandbox=kind, limits=limits)
        return running[key]

    yield started
    for executor in running.values():
        executor.close()
