"""What nbgrader itself makes of a class: run in the test session, half the class in each of two processes."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograde.course import Assignment, load_assignment
from tests.builder import dump, write_files

# Its kernels' slow farewell changes no score, and takes most of the time.
CONFIG = "c = get_config()\nc.Execute.shutdown_kernel = 'immediate'\n"
READ = """
select sent.student_id, notebook.name, cell.name, grade.auto_score, grade.needs_manual_grade
from grade
join base_cell as cell on cell.id = grade.cell_id
join submitted_notebook as book on book.id = grade.notebook_id
join notebook on notebook.id = book.notebook_id
join submitted_assignment as sent on sent.id = book.assignment_id
"""
Scores = dict[tuple[str, str, str], tuple[float | None, bool]]


@dataclass(frozen=True)
class Golden:
    """What nbgrader made of a course.

    Attributes:
        course: The course's folder, with ``release/`` and ``submitted/``.
        assignment: The assignment, loaded by us.
        scores: Student, notebook, grade id -> nbgrader's automatic score, and whether a person must grade it.
    """

    course: Path
    assignment: Assignment
    scores: Scores


def command_in(course: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python command in a course; nbgrader's `Gradebook` needs ``alembic`` on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=course,
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output_of(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate()
    assert process.returncode == 0, err[-4000:]
    return out


def release(course: Path, assignment: str) -> Assignment:
    """Generate the release with nbgrader, and load the assignment with our loader."""
    output_of(command_in(course, "-m", "nbgrader", "generate_assignment", assignment))
    return load_assignment(course, assignment)


def send(
    course: Path, assignment: Assignment, student: str, answers: Mapping[str, str], books: Iterable[str]
) -> None:
    """Write a student's submission, made from the release that nbgrader wrote."""
    files = {}
    for name in books:
        (path,) = (course / "release").rglob(f"{assignment.name}/{name}.ipynb")
        sent = json.loads(path.read_bytes())
        for made in sent["cells"]:
            grade_id = made["metadata"].get("nbgrader", {}).get("grade_id")
            made["source"] = answers.get(grade_id, made["source"])
        files[f"{name}.ipynb"] = dump(sent)
    write_files(course / "submitted" / student / assignment.name, files)


def graded(course: Path, assignment: Assignment) -> Golden:
    """Grade a class with nbgrader, in two processes side by side."""
    halves = [course.with_name(f"{course.name}-half{k}") for k in range(2)]
    students = sorted(path.name for path in (course / "submitted").iterdir())
    for k, half in enumerate(halves):
        shutil.copytree(course, half)
        for student in students[k::2]:
            shutil.rmtree(half / "submitted" / student)
    for running in [command_in(half, "-m", "nbgrader", "autograde", assignment.name) for half in halves]:
        output_of(running)
    scores: Scores = {}
    for half in halves:
        with contextlib.closing(sqlite3.connect(half / "gradebook.db")) as book:
            scores |= {
                (who, name, cell): (score, bool(m)) for who, name, cell, score, m in book.execute(READ)
            }
    return Golden(course, assignment, scores)
