"""Admit a large submission in a process of its own, with limits: what one student sent holds nobody up."""

import os
import pickle
import resource
import signal
import subprocess
import sys

from autograde.course import Assignment, Submission
from autograde.errors import InfrastructureError
from autograde.intake.model import Intake

CPU_SECONDS = 60
MEMORY_BYTES = 4 * 2**30
WALL_SECONDS = 300.0  # a process that computes meets the limit above first
_COMMAND = "from autograde.intake import apart; apart.main()"


class TooCostlyError(Exception):
    """A submission takes more time or memory than reading any honest one."""


def admit_apart(assignment: Assignment, submission: Submission) -> Intake:
    """Do what `admit` does, in a process with limits.

    Raises:
        TooCostlyError: If a limit ended the process.
        InfrastructureError: If it failed in another way, which is a fault of ours.
    """
    path = os.pathsep.join(entry for entry in sys.path if entry)
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _COMMAND],
            input=pickle.dumps((assignment, submission, CPU_SECONDS, MEMORY_BYTES)),
            capture_output=True,
            env=os.environ | {"PYTHONPATH": path},
            timeout=WALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TooCostlyError(f"more than {WALL_SECONDS:.0f} s") from error
    except OSError as error:
        raise InfrastructureError(f"no process for reading could be started ({error.strerror})") from error
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TooCostlyError(f"more than {CPU_SECONDS} s of processor time, or too much memory")
    if done.returncode:
        trace = done.stderr.decode(errors="replace")
        sys.stderr.write(trace)
        why = trace.strip().splitlines()[-1:] or [f"status {done.returncode}"]
        raise InfrastructureError(why[0])
    intake = pickle.loads(done.stdout)
    assert isinstance(intake, Intake)
    return intake


def main() -> None:
    """Admit what stands on standard input, and write the intake on standard output."""
    from autograde.intake.admit import admit_here

    assignment, submission, cpu_seconds, memory_bytes = pickle.load(sys.stdin.buffer)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pickle.dump(admit_here(assignment, submission), sys.stdout.buffer)
