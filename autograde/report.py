"""The class report: one page and one CSV for the instructor."""

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograde import charts
from autograde.atomic import write_atomic, writing
from autograde.course import Assignment
from autograde.exercises import Exercise, exercises
from autograde.outcome import TestOutcome
from autograde.spreadsheet import plain_cell
from autograde.standing import Standing, effective_points
from autograde.statistics import (
    attempts,
    changes,
    count_statuses,
    count_tests,
    middle,
    same_answers,
    scores_of,
    shared_notes,
)
from autograde.templating import environment
from autograde.wording import exercise_title

CSV_NAME, PAGE_NAME = "scores.csv", "index.html"
_ABOUT = (
    "student_id", "first_name", "last_name", "email", "status", "score", "max_score", "late_penalty",
    "submitted_at", "seconds_late", "attempts",
)  # fmt: skip
_DETAILS = ("undecided", "seconds", "peak_memory_mib", "repairs", "notes")


def write_report(
    folder: Path, assignment: Assignment, standings: Sequence[Standing], problems: Sequence[str] = ()
) -> tuple[Path, Path]:
    """Write the report into `folder`; return the page's path and the CSV's.

    Args:
        folder: ``report/<assignment>``.
        assignment: The assignment.
        standings: Of every student.
        problems: What is wrong with the assignment itself.

    Raises:
        InfrastructureError: It can't be written.
    """
    page, table = folder / PAGE_NAME, folder / CSV_NAME
    with writing(folder):
        write_atomic(page, render_report(assignment, standings, problems).encode("utf-8", "replace"))
        write_atomic(table, scores_csv(assignment, standings).encode("utf-8-sig", "replace"))
    return page, table


def render_report(assignment: Assignment, standings: Sequence[Standing], problems: Sequence[str] = ()) -> str:
    """Return the page: numbers, pictures, tables."""
    tests = count_tests(exercises(assignment), standings)
    scores = scores_of(standings)
    results = [standing.result for standing in standings if standing.result is not None]
    said_once = shared_notes(standings)
    graded = [standing for standing in standings if standing.result is not None]
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            assignment=assignment.name,
            written_at=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
            statuses=count_statuses(standings),
            scores=scores,
            mean=sum(scores) / len(scores) if scores else None,
            median=middle(scores),
            max_score=assignment.max_score,
            histogram=charts.score_histogram(scores, assignment.max_score),
            bars=charts.test_bars(tests) if tests else "",
            resources=charts.time_and_memory(
                [result.seconds for result in results],
                [result.peak_memory_mib for result in results if result.peak_memory_mib is not None],
            ),
            tests=tests,
            passed=TestOutcome.PASSED,
            exercises=[(exercise_title(e.grade_id), e) for e in exercises(assignment)],
            rows=[_row(standing, exercises(assignment)) for standing in standings],
            changes=changes(standings),
            same_answers=same_answers(standings),
            said_once=said_once,
            problems=problems,
            remarks=[
                (standing.student.id, notes)
                for standing in standings
                if (notes := [note for note in _notes(standing) if note not in said_once])
            ],
            repairs=[(s.student.id, s.result.repairs) for s in graded if s.result and s.result.repairs],
        )
    )


def scores_csv(assignment: Assignment, standings: Sequence[Standing]) -> str:
    """Return one line for each student; a status that is not a score has an empty score."""
    parts = exercises(assignment)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    titles = [f"{part.notebook}/{part.grade_id}" for part in parts]
    writer.writerow([*_ABOUT, *titles, *_DETAILS])
    for standing in standings:
        row, student, result = _row(standing, parts), standing.student, standing.result
        writer.writerow(
            plain_cell(value)
            for value in [
                *(student.id, student.first_name, student.last_name, student.email),
                *(row["status"], row["score"], standing.max_score, row["late_penalty"]),
                *(row["submitted_at"], row["seconds_late"], row["attempts"]),
                *row["points"],
                len(standing.waiting),
                None if result is None else round(result.seconds, 3),
                None if result is None else result.peak_memory_mib,
                "" if result is None else "; ".join(result.repairs),
                "; ".join(_notes(standing)),
            ]
        )
    return text.getvalue()


def _row(standing: Standing, parts: Sequence[Exercise]) -> dict[str, Any]:
    points = effective_points(standing)
    scores = standing.scores
    known = scores is not None
    return {
        "student": standing.student,
        "status": standing.status.value,
        "score": standing.score,
        "late_penalty": scores.late_penalty if scores is not None else None,
        "submitted_at": f"{scores.timestamp:%Y-%m-%d %H:%M}"
        if scores is not None and scores.timestamp
        else "",
        "seconds_late": scores.seconds_late if scores is not None else None,
        "attempts": attempts(standing.record),
        "points": [
            _sum([points.get((part.notebook, t.grade_id)) for t in part.tests]) if known else None
            for part in parts
        ],
        "waiting": len(standing.waiting),
    }


def _notes(standing: Standing) -> list[str]:
    trouble = [standing.trouble] if standing.trouble else []
    return trouble if standing.result is None else [*trouble, *standing.result.notes]


def _sum(points: Sequence[float | None]) -> float | None:
    """Return the sum; None if any part is undecided."""
    decided = [value for value in points if value is not None]
    return sum(decided) if len(decided) == len(points) else None
