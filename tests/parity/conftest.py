"""One run of nbgrader itself on the parity course, in the test session."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from autograde.course import Assignment, load_assignment
from tests.builder import dump, write_files
from tests.parity.course import ASSIGNMENT, solutions, write_course
from tests.parity.students import SENT_BY, STUDENTS, answers

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
Row = tuple[str, str, str, float | None, bool]
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


def autograde(course: Path) -> list[Row]:
    """Grade with nbgrader itself, half of the class in each of two processes, and read its gradebook."""
    halves = [course.with_name(f"{course.name}-half{k}") for k in range(2)]
    for k, half in enumerate(halves):
        shutil.copytree(course, half)
        for student in sorted(STUDENTS)[k::2]:
            shutil.rmtree(half / "submitted" / student)
    for running in [command_in(half, "-m", "nbgrader", "autograde", ASSIGNMENT) for half in halves]:
        output_of(running)
    return [row for half in halves for row in json.loads(output_of(command_in(half, "-c", READ, ASSIGNMENT)))]


def send(course: Path, assignment: Assignment) -> None:
    """Write each student's submission, made from the release that nbgrader wrote."""
    for student in STUDENTS:
        own = answers(student, solutions())
        files = {}
        for book in assignment.notebooks:
            if student not in SENT_BY.get(book.name, STUDENTS):
                continue
            sent = json.loads((course / "release" / ASSIGNMENT / f"{book.name}.ipynb").read_bytes())
            for made in sent["cells"]:
                name = made["metadata"].get("nbgrader", {}).get("grade_id")
                made["source"] = own.get(name, made["source"])
            files[f"{book.name}.ipynb"] = dump(sent)
        write_files(course / "submitted" / student / ASSIGNMENT, files)


@pytest.fixture(scope="session")
def golden(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Golden:
    """Run nbgrader once; pytest's cache keeps its scores until the course or the students change."""
    course = write_course(tmp_path_factory.mktemp("parity"))
    (course / "nbgrader_config.py").write_text(CONFIG)
    output_of(command_in(course, "-m", "nbgrader", "generate_assignment", ASSIGNMENT))
    assignment = load_assignment(course, ASSIGNMENT)
    send(course, assignment)
    key = f"parity/{fingerprint(course)}"
    rows = request.config.cache.get(key, None)
    if rows is None:
        rows = autograde(course)
        request.config.cache.set(key, rows)
    scores = {(who, book, name): (score, manual) for who, book, name, score, manual in rows}
    return Golden(course, assignment, scores)


def fingerprint(course: Path) -> str:
    """Hash what nbgrader's scores depend on."""
    digest = hashlib.sha256(f"{sys.version}{version('nbgrader')}".encode())
    for path in sorted((course / "source").rglob("*.*")) + sorted((course / "submitted").rglob("*.*")):
        digest.update(f"{path.relative_to(course)}".encode() + path.read_bytes())
    return digest.hexdigest()[:32]
