"""Feedback pages: what each student may know about their own submission.

A page shows points, verdicts, messages, repairs and the student's own answers. It is made without reading
the instructor's text of any test.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograde.atomic import write_atomic, writing
from autograde.autograded import METADATA_KEY
from autograde.course import Assignment
from autograde.exercises import Exercise, exercises
from autograde.outcome import Status, TestOutcome, TestResult
from autograde.standing import Standing
from autograde.templating import environment
from autograde.wording import OUTCOMES, SCORED_BY_HAND, STATUSES, Wording, exercise_title, test_title

MAX_OUTPUT_CHARACTERS = 4000
EXCHANGE_FILES = ("timestamp.txt", "submission_secret.txt")  # nbgrader's release_feedback reads them


@dataclass(frozen=True, slots=True)
class TestView:
    """One line of a page."""

    title: str
    kind: str
    wording: Wording
    points: float | None
    max_points: float
    message: str


@dataclass(frozen=True, slots=True)
class ExerciseView:
    """One exercise on a page; `message` is what all its tests have to say, if it is one thing."""

    title: str
    notebook: str
    tests: tuple[TestView, ...]
    points: float | None
    max_points: float
    message: str
    answer: str
    output: str
    comment: str


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on one page."""

    assignment: str
    notebook: str
    student: str
    status: Wording
    kind: str
    score: float | None
    decided: float
    max_score: float
    late_penalty: float
    submitted_at: str
    exercises: tuple[ExerciseView, ...]
    repairs: tuple[str, ...]


def render(page: Page) -> str:
    """Return a page as HTML that needs nothing else: no script, no network."""
    return environment().get_template("feedback.html.j2").render(page=page)


def build_page(
    assignment: Assignment,
    standing: Standing,
    notebooks: Mapping[str, Mapping[str, Any]],
    only: str | None = None,
) -> Page:
    """Put a student's page together.

    Args:
        assignment: The assignment.
        standing: The student's, with a result or at least the gradebook's grades.
        notebooks: Notebook name -> the autograded notebook, as JSON.
        only: Name of one notebook; None for the whole assignment.
    """
    scores, result = standing.scores, standing.result
    tests = (
        {}
        if result is None
        else {(b.name, test.grade_id): test for b in result.notebooks for test in b.tests}
    )
    views = tuple(
        _exercise(exercise, standing, tests, notebooks.get(exercise.notebook, {}))
        for exercise in exercises(assignment)
        if only in (None, exercise.notebook)
    )
    known = isinstance(standing.status, Status)
    status = standing.status if isinstance(standing.status, Status) else Status.GRADED
    return Page(
        assignment=assignment.name,
        notebook=only or "",
        student=standing.student.full_name or standing.student.id,
        status=STATUSES[status],
        kind=status.value if known else "graded",
        score=standing.score,
        decided=0.0 if scores is None else scores.score,
        max_score=standing.max_score,
        late_penalty=0.0 if scores is None else scores.late_penalty,
        submitted_at=""
        if scores is None or scores.timestamp is None
        else f"{scores.timestamp:%Y-%m-%d %H:%M} UTC",
        exercises=views,
        repairs=() if result is None else result.repairs,
    )


def write_feedback(folder: Path, assignment: Assignment, standing: Standing, autograded: Path) -> list[Path]:
    """Write a student's pages: one for each notebook, as nbgrader would, and ``index.html`` with all.

    Args:
        folder: ``feedback/<student>/<assignment>``.
        assignment: The assignment.
        standing: The student's.
        autograded: ``autograded/<student>/<assignment>``.

    Returns:
        The pages, ``index.html`` first.

    Raises:
        InfrastructureError: A page can't be written.
    """
    notebooks = read_notebooks(autograded, (book.name for book in assignment.notebooks))
    pages = {folder / "index.html": build_page(assignment, standing, notebooks)}
    for book in assignment.notebooks:
        pages[folder / f"{book.name}.html"] = build_page(assignment, standing, notebooks, book.name)
    with writing(folder):
        for path, page in pages.items():
            write_atomic(path, render(page).encode("utf-8", "replace"))
        for name in EXCHANGE_FILES:
            if (autograded / name).is_file():
                write_atomic(folder / name, (autograded / name).read_bytes())
    return list(pages)


def read_notebooks(autograded: Path, names: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    """Return notebook name -> autograded notebook; one that can't be read is left out."""
    found: dict[str, Mapping[str, Any]] = {}
    for name in names:
        try:
            book = json.loads((autograded / f"{name}.ipynb").read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(book, dict) and isinstance(book.get("cells"), list):
            found[name] = book
    return found


def _exercise(
    exercise: Exercise,
    standing: Standing,
    tests: Mapping[tuple[str, str], TestResult],
    notebook: Mapping[str, Any],
) -> ExerciseView:
    views = tuple(
        _test(
            exercise,
            grade_id := test.grade_id,
            test.points,
            standing,
            tests.get((exercise.notebook, grade_id)),
        )
        for test in exercise.tests
    )
    same = len(views) > 1 and len({view.message for view in views}) == 1
    message = views[0].message if same else ""
    if same:
        views = tuple(replace(view, message="") for view in views)
    cell = _answer_cell(notebook, exercise.grade_id)
    comments = {} if standing.scores is None else standing.scores.comments
    undecided = any(view.points is None for view in views)
    return ExerciseView(
        title=exercise_title(exercise.grade_id),
        notebook=exercise.notebook,
        tests=views,
        points=None if undecided else sum(view.points or 0.0 for view in views),
        max_points=exercise.max_points,
        message=message,
        answer=str(cell.get("source", "")),
        output=_printed(cell),
        comment=comments.get((exercise.notebook, exercise.grade_id), ""),
    )


def _test(
    exercise: Exercise, grade_id: str, max_points: float, standing: Standing, test: TestResult | None
) -> TestView:
    cell = None if standing.scores is None else standing.scores.cells.get((exercise.notebook, grade_id))
    points = cell.points if cell is not None else None if test is None else test.points
    by_hand = cell is not None and cell.manual is not None
    if by_hand or test is None:
        wording = SCORED_BY_HAND if by_hand else STATUSES[Status.GRADED]
        kind = _kind(points, max_points)
    else:
        wording, kind = OUTCOMES[test.outcome], test.outcome.value
    show_message = test is not None and not by_hand and test.outcome is not TestOutcome.PASSED
    return TestView(
        title=test_title(grade_id, exercise.grade_id),
        kind=kind,
        wording=wording,
        points=points,
        max_points=max_points,
        message=test.message if show_message and test is not None else "",
    )


def _kind(points: float | None, max_points: float) -> str:
    if points is None:
        return TestOutcome.MANUAL.value
    if points >= max_points:
        return TestOutcome.PASSED.value
    return (TestOutcome.PARTIAL if points > 0 else TestOutcome.FAILED).value


def _answer_cell(notebook: Mapping[str, Any], grade_id: str) -> Mapping[str, Any]:
    for cell in notebook.get("cells", ()):
        meta = cell.get("metadata", {}).get("nbgrader", {})
        if meta.get("grade_id") == grade_id and (meta.get("solution") or meta.get("task")):
            return dict(cell)
    return {}


def _printed(cell: Mapping[str, Any]) -> str:
    """Return what an answer cell printed, if it ran before anything hidden did."""
    if not cell.get("metadata", {}).get(METADATA_KEY, {}).get("shown", False):
        return ""
    text = "".join(_plain(output) for output in cell.get("outputs", ()))
    return text if len(text) <= MAX_OUTPUT_CHARACTERS else text[:MAX_OUTPUT_CHARACTERS] + " …"


def _plain(output: Mapping[str, Any]) -> str:
    if output.get("output_type") == "stream":
        return str(output.get("text", ""))
    if output.get("output_type") == "error":
        return f"{output.get('ename')}: {output.get('evalue')}\n"
    return str(output.get("data", {}).get("text/plain", "")) + "\n"
