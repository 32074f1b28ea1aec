"""A grader that is stopped leaves nothing behind: no process, no folder."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SLOW = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from autograde.executors import LocalExecutor
from tests.engine.course_in_code import answer, assignment, check
task = assignment(answer("def f():\\n    return 1"), check("t", "import time\\ntime.sleep(28)\\nassert f() == 1"))
with LocalExecutor(task, jobs=1, sandbox="none") as executor:
    print("started", flush=True)
    executor.plan
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_stopped_while_it_plans(number: signal.Signals, tmp_path: Path) -> None:
    checkout = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW],
        cwd=checkout,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as grader:
        assert grader.stdout is not None and grader.stdout.readline() == b"started\n"
        wait_until(lambda: any(tmp_path.glob("autograde-*/work/*")), 60)  # the solution is run
        os.killpg(grader.pid, number)  # as a terminal does
        wait_until(lambda: not list(tmp_path.iterdir()), 18)  # the plan itself would take longer
        grader.wait(18)


def wait_until(done: object, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not done():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)
