"""One timed run of each competitor, as whole processes, and what both wrote into their gradebooks."""

import ast
import itertools
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from autograde.student.undrawn import undrawn
from tools.demo.sample_class import ASSIGNMENT

_BIN = Path(sys.executable).parent
_SCORES = """
    SELECT student.id, notebook.name, cell.name, grade.auto_score
    FROM grade
    JOIN base_cell AS cell ON cell.id = grade.cell_id
    JOIN submitted_notebook AS sent ON sent.id = grade.notebook_id
    JOIN notebook ON notebook.id = sent.notebook_id
    JOIN submitted_assignment AS submission ON submission.id = sent.assignment_id
    JOIN student ON student.id = submission.student_id
"""


@dataclass(frozen=True)
class Run:
    """One run, as a whole process.

    Attributes:
        seconds: Wall time, start-up included.
        peak_mib: Peak memory of its largest process.
        marks: When each submission began, in seconds since the start (nbgrader only).
    """

    seconds: float
    peak_mib: float
    marks: tuple[float, ...] = ()

    def typical_seconds(self) -> float:
        """Return the median time of a submission: stalls of single ones don't count."""
        return statistics.median(
            after - before for before, after in itertools.pairwise((*self.marks, self.seconds))
        )


def reset(course: Path) -> None:
    """Forget every grade, so that the next run starts from submissions alone."""
    for name in ("autograded", "feedback", "report"):
        shutil.rmtree(course / name, ignore_errors=True)
    for path in course.glob("gradebook.db*"):
        path.unlink()


def run_nbgrader(course: Path) -> Run:
    """Register the assignment (not timed), then time `nbgrader autograde`."""
    _timed([_BIN / "nbgrader", "generate_assignment", ASSIGNMENT, "--force", "--log-level=ERROR"], course)
    return _timed([_BIN / "nbgrader", "autograde", ASSIGNMENT], course)


def run_ours(course: Path, *, jobs: int) -> Run:
    """Time `python -m autograde grade` with the sandbox on."""
    command = [
        sys.executable,
        "-m",
        "autograde",
        "grade",
        ASSIGNMENT,
        "--course",
        course,
        "--jobs",
        str(jobs),
    ]
    return _timed([*command, "--sandbox", "bwrap"], course)


def _timed(command: list[object], course: Path) -> Run:
    environment = {**os.environ, "PATH": f"{_BIN}:{os.environ['PATH']}"}
    begin = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command], cwd=course, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    output, marks = [], []
    for line in process.stdout:
        output.append(line)
        if "Creating/updating student with ID" in line:
            marks.append(time.perf_counter() - begin)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        tail = "".join(output[-20:])
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{tail}")
    return Run(seconds, usage.ru_maxrss / 1024, tuple(marks))


def scores(course: Path) -> dict[tuple[str, str, str], float | None]:
    """Return every automatic score of a course's gradebook: (student, notebook, cell) -> points."""
    with sqlite3.connect(course / "gradebook.db") as connection:
        return {(who, book, cell): score for who, book, cell, score in connection.execute(_SCORES)}


def floor_seconds(course: Path, *, jobs: int, draw: bool, heavy: bool) -> float:
    """Time the bare work: fork a warm process for each submission and exec its cells, nothing else.

    No test is kept from the student's code, nothing is judged or written.

    Args:
        course: A course made by :mod:`tests.benchmarks.courses`.
        jobs: How many forks run at a time.
        draw: Draw the figures; the grader leaves out those that nobody looks at.
        heavy: The cells import torch.

    Returns:
        Seconds a submission, reading the files included.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot
    import numpy  # noqa: F401

    if heavy:
        import torch

        torch.set_num_threads(1)
    folders = sorted((course / "submitted").iterdir())
    running: set[int] = set()
    begin = time.perf_counter()
    for folder in folders:
        if len(running) == jobs:
            running.discard(os.wait()[0])
        child = os.fork()
        if child == 0:
            with nullcontext() if draw else undrawn():
                _exec_cells(folder / ASSIGNMENT)
        running.add(child)
    while running:
        running.discard(os.wait()[0])
    return (time.perf_counter() - begin) / len(folders)


def _exec_cells(folder: Path) -> None:
    """Run in a fork: exec each code cell, let it fail as it likes, leave without cleaning up."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.chdir(folder)
    for path in sorted(folder.glob("*.ipynb")):
        namespace: dict[str, object] = {"__name__": "__main__"}
        for cell in json.loads(path.read_bytes())["cells"]:
            if cell["cell_type"] == "code":
                try:
                    exec(compile(ast.parse("".join(cell["source"])), path.name, "exec"), namespace)
                except Exception:
                    continue
    os._exit(0)
