"""What nbgrader itself makes of a class: run in the test session, half the class in each of two processes."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from autograde.course import Assignment, load_assignment
from tests.builder import dump, write_files

# Its kernels' slow farewell changes no score, and takes most of the time.
CONFIG = "c = get_config()\nc.Execute.shutdown_kernel = 'immediate'\n"
READ = """
import json, sys
from nbgrader.api import Gradebook

with Gradebook("sqlite:///gradebook.db") as book:
    print(json.dumps([
        [submission.student.id, notebook.name, grade.name, grade.auto_score, bool(grade.needs_manual_grade)]
        for submission in book.assignment_submissions(sys.argv[1])
        for notebook in submission.notebooks
        for grade in notebook.grades
    ]))
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


def graded(course: Path, assignment: Assignment, cache: pytest.Cache) -> Golden:
    """Grade a class with nbgrader; pytest's cache keeps the scores until course or students change."""
    key = f"parity/{_fingerprint(course)}"
    rows = cache.get(key, None)
    if rows is None:
        rows = _autograde(course, assignment.name)
        cache.set(key, rows)
    scores = {(who, book, name): (score, manual) for who, book, name, score, manual in rows}
    return Golden(course, assignment, scores)


def _autograde(course: Path, assignment: str) -> list[tuple[str, str, str, float | None, bool]]:
    halves = [course.with_name(f"{course.name}-half{k}") for k in range(2)]
    students = sorted(path.name for path in (course / "submitted").iterdir())
    for k, half in enumerate(halves):
        shutil.copytree(course, half)
        for student in students[k::2]:
            shutil.rmtree(half / "submitted" / student)
    for running in [command_in(half, "-m", "nbgrader", "autograde", assignment) for half in halves]:
        output_of(running)
    return [row for half in halves for row in json.loads(output_of(command_in(half, "-c", READ, assignment)))]


def _fingerprint(course: Path) -> str:
    """Hash what nbgrader's scores depend on."""
    digest = hashlib.sha256(f"{sys.version}{version('nbgrader')}".encode())
    for path in sorted((course / "source").rglob("*.*")) + sorted((course / "submitted").rglob("*.*")):
        digest.update(f"{path.relative_to(course)}".encode() + path.read_bytes())
    return digest.hexdigest()[:32]
