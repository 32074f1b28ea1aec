"""``resolve``: settle by hand what could not be judged; kept over regrades of the same files."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from autograde import record as side_file
from autograde.atomic import writing
from autograde.course import load_assignment
from autograde.errors import UsageError
from autograde.gradebook import CellKey, Gradebook
from autograde.layout import CourseLayout
from autograde.lock import course_lock
from autograde.outcome import Status, TestOutcome
from autograde.record import Record, Settlement
from autograde.standing import class_standings
from autograde.streams import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("student", help="the student's id")
    parser.add_argument("assignment", help="folder under source/")
    parser.add_argument(
        "--points",
        action="append",
        default=[],
        type=_points,
        metavar="TEST=POINTS",
        help="what a test earns (repeatable); NOTEBOOK/TEST where two notebooks have the id",
    )
    parser.add_argument("--rest", type=_number, metavar="POINTS", help="what each other undecided test earns")
    parser.add_argument("--accept", action="store_true", help="the points stand as they were scored")
    parser.add_argument("--note", default="", metavar="TEXT", help="why; kept with the decision")


def run(arguments: argparse.Namespace) -> int:
    """Settle, or list what is undecided; return the exit status."""
    layout = CourseLayout.of(arguments.course)
    name, student = arguments.assignment, arguments.student
    assignment = load_assignment(layout.root, name)
    folder = layout.autograded(student, name)
    with (
        course_lock(layout.autograded_root),
        Gradebook(arguments.db or layout.db_url, layout.course_id, layout.late_policy()) as gradebook,
    ):
        record = side_file.load(folder)
        if record is None:
            raise UsageError(f"{student} has no graded submission of {name}: run `grade {name}` first")
        undecided = undecided_tests(record)
        chosen = _chosen(arguments.points, arguments.rest, undecided, student)
        if chosen or arguments.accept:
            record = _settle(record, chosen, arguments.note, arguments.accept)
            gradebook.settle(name, student, chosen)
            gradebook.refresh_penalties(name)
            with writing(folder):
                side_file.save(folder, record)
        standings = class_standings(layout, assignment, gradebook)
    mine = next(standing for standing in standings if standing.student.id == student)
    left = undecided_tests(record)
    for (book, grade_id), maximum in left.items():
        say(f"undecided: {book}/{grade_id} (of {maximum:g})")
    score = "no score yet" if mine.score is None else f"{mine.score:g} of {mine.max_score:g}"
    say(f"{student}: {mine.status.value}, {score}")
    return 1 if mine.status is Status.NEEDS_REVIEW else 0


def undecided_tests(record: Record) -> dict[CellKey, float]:
    """Return the tests that a person must settle, with their points; manual cells are Formgrader's."""
    return {
        (book.name, test.grade_id): test.max_points
        for book in record.settled_result().notebooks
        for test in book.tests
        if test.points is None and test.outcome is not TestOutcome.MANUAL
    }


def _chosen(
    points: Sequence[tuple[str, float]], rest: float | None, undecided: dict[CellKey, float], student: str
) -> dict[CellKey, float]:
    chosen: dict[CellKey, float] = {}
    for test, value in points:
        found = [key for key in undecided if test in (key[1], f"{key[0]}/{key[1]}")]
        if len(found) != 1:
            listed = ", ".join(f"{book}/{grade_id}" for book, grade_id in undecided) or "none"
            problem = "more than one undecided test" if found else "no undecided test"
            raise UsageError(f"--points {test}: {student} has {problem} of that name; undecided: {listed}")
        chosen[found[0]] = value
    if rest is not None:
        chosen |= {key: rest for key in undecided if key not in chosen}
    for key, value in chosen.items():
        if value > undecided[key]:
            raise UsageError(f"{key[0]}/{key[1]} has {undecided[key]:g} points, {value:g} is more")
    return chosen


def _settle(record: Record, chosen: dict[CellKey, float], note: str, accept: bool) -> Record:
    kept = [each for each in record.settlements if (each.notebook, each.grade_id) not in chosen]
    new = [
        Settlement(book, grade_id, value, note, record.submission)
        for (book, grade_id), value in chosen.items()
    ]
    accepted = record.submission if accept else record.accepted
    return replace(record, settlements=(*kept, *new), accepted=accepted)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of points")
    return number


def _points(text: str) -> tuple[str, float]:
    test, equals, number = text.rpartition("=")
    if not equals or not test:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form TEST=POINTS")
    return test, _number(number)
