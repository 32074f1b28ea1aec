"""``demo``: the main job on a sample class, in a course folder of its own."""

import argparse
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from autograde.assignment_notes import load_problems
from autograde.atomic import write_atomic
from autograde.commands import feedback, grade
from autograde.course import Assignment
from autograde.errors import SandboxUnavailableError, UsageError
from autograde.executors import LocalExecutor
from autograde.gradebook import Gradebook, Student
from autograde.grading import Graded
from autograde.layout import CourseLayout
from autograde.outcome import SubmissionResult, TestOutcome
from autograde.processors import processors
from autograde.report import write_report
from autograde.sandbox import Kind
from autograde.standing import read_standings
from autograde.streams import say
from tools.demo.experiment import run_experiment
from tools.demo.sample_class import ASSIGNMENT, CLASS, TODOS, submission_files
from tools.project_runtime import resolve_project_root

FOLDER = "demo-course"
_CONFIG = '"""The demo\'s course: nbgrader and Formgrader work here as in the course itself."""\n\n'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("--no-experiment", action="store_true", help="leave out the stream experiment")


def run(arguments: argparse.Namespace) -> int:
    """Make the class, grade it, write feedback and report, run the experiment; return the exit status."""
    try:
        root = resolve_project_root(arguments.course)
    except FileNotFoundError as problem:
        raise UsageError(str(problem)) from problem
    course = root / FOLDER
    make_class(root, course)
    say(f"a sample class of {len(CLASS)} hands in {ASSIGNMENT} below {course / 'submitted'}")
    layout = CourseLayout.of(course)
    with Gradebook(layout.db_url, layout.course_id) as gradebook:
        gradebook.add_students(
            Student(student.student_id, student.student_id.capitalize(), "Sample") for student in CLASS
        )
    graded = _grade(layout)
    assignment, standings = read_standings(layout, ASSIGNMENT, None)
    feedback.write_class_feedback(layout, assignment, standings)
    problems = load_problems(layout.autograded_root, assignment)
    page, scores = write_report(layout.report(ASSIGNMENT), assignment, standings, problems)
    say(table({each.result.student_id: each.result for each in graded}))
    say(f"\ngradebook  {layout.db_url.removeprefix('sqlite:///')}")
    first = layout.feedback(CLASS[0].student_id, ASSIGNMENT) / "index.html"
    say(f"feedback   {first} and {len(CLASS) - 1} more")
    say(f"report     {page}, {scores}")
    if not arguments.no_experiment:
        run_experiment(root, course)
    return 0


def make_class(root: Path, course: Path) -> None:
    """Write the course folder; files that are as they should be keep their times."""
    _mirror(root / "source" / ASSIGNMENT, course / "source" / ASSIGNMENT)
    config = (root / "nbgrader_config.py").read_text(encoding="utf-8").partition("\n\n")[2]
    _write(course / "nbgrader_config.py", (_CONFIG + config).encode())
    for student in CLASS:
        folder = course / "submitted" / student.student_id / ASSIGNMENT
        files = submission_files(student, root / "release")
        for stale in {path.name for path in folder.glob("*")} - files.keys():
            (folder / stale).unlink()
        for name, content in files.items():
            _write(folder / name, content)


def _mirror(origin: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in origin.iterdir():
        _write(target / path.name, path.read_bytes())


def _write(path: Path, content: bytes) -> None:
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)


def _grade(layout: CourseLayout) -> list[Graded]:
    """Grade sandboxed; all the submissions are ours, so without a sandbox it goes on, and says so loudly."""
    try:
        return grade.grade_course(layout, ASSIGNMENT, partial(_executor, sandbox="bwrap"))
    except SandboxUnavailableError as problem:
        print(f"NO SANDBOX HERE: {problem}\nThe demo goes on without one.", file=sys.stderr)
    return grade.grade_course(layout, ASSIGNMENT, partial(_executor, sandbox="none"), sandbox="none")


def _executor(assignment: Assignment, sandbox: Kind) -> LocalExecutor:
    return LocalExecutor(assignment, jobs=processors(), sandbox=sandbox)


def table(results: Mapping[str, SubmissionResult]) -> str:
    """Return the table of the class: points for each TODO, total, what happened."""
    rows = [("student", *TODOS, "total", "outcome", "what they did")]
    for student in CLASS:
        result = results[student.student_id]
        points = (_points(result, grade_id) for grade_id in TODOS.values())
        total = "—" if result.score is None else f"{result.score:g}/{result.max_score:g}"
        rows.append((student.student_id, *points, total, result.status.value, student.story))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def _points(result: SubmissionResult, grade_id: str) -> str:
    tests = [test for book in result.notebooks for test in book.tests if test.grade_id.startswith(grade_id)]
    undecided = any(test.outcome is TestOutcome.NEEDS_REVIEW for test in tests) or not tests
    earned = sum(test.points or 0.0 for test in tests)
    return f"{earned:g}{'?' if undecided else ''}"
