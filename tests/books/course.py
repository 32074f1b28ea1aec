"""A small nbgrader course on disk, submissions to it, and an executor that runs nothing."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from autograde.course import Assignment, Role
from autograde.executors import CellRun, Finished, Job
from autograde.outcome import NotebookResult, Status, SubmissionResult, TestOutcome, TestResult

ASSIGNMENT = "hw1"
HIDDEN = "assert double(21) == 42, 'hidden-rule-4711'"
STUB = "def double(x):\n    ### BEGIN SOLUTION\n    return x * 2\n    ### END SOLUTION"
RIGHT = "def double(x):\n    return x + x  # RIGHT"
WRONG = "def double(x):\n    return x"

Cell = dict[str, Any]


def cell(kind: str, source: str, grade_id: str | None = None, **meta: Any) -> Cell:
    """Return an nbformat cell; with a grade id, one that nbgrader knows."""
    made: Cell = {
        "cell_type": kind,
        "id": grade_id or f"cell-{abs(hash(source)) % 10**8}",
        "metadata": {},
        "source": source,
    }
    if grade_id is not None:
        flags = {"grade": False, "solution": False, "locked": False, "task": False}
        made["metadata"]["nbgrader"] = {"schema_version": 3, "grade_id": grade_id, **flags, **meta}
    if kind == "code":
        made |= {"execution_count": None, "outputs": []}
    return made


def notebook(cells: list[Cell]) -> Cell:
    """Return an nbformat 4.5 notebook."""
    kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernelspec}, "nbformat": 4, "nbformat_minor": 5}


def source_books(hidden: str = HIDDEN, points: float = 3) -> dict[str, Cell]:
    """Return the instructor's notebooks: one with tests, one that a person grades."""
    alpha = [
        cell("markdown", "# Doubling"),
        cell("code", "factor = 2", "given", locked=True),
        cell("code", STUB, "todo1-double", solution=True),
        cell("code", "assert double(2) == 4", "todo1-double-test-visible", grade=True, locked=True, points=2),
        cell(
            "code",
            f"assert double(0) == 0\n### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS",
            "todo1-double-test-hidden",
            grade=True,
            locked=True,
            points=points,
        ),
    ]
    beta = [
        cell("markdown", "Explain doubling.", "essay", grade=True, solution=True, points=4),
        cell("markdown", "Draw it.", "drawing", task=True, locked=True, points=1),
    ]
    return {"alpha": notebook(alpha), "beta": notebook(beta)}


def write_source(root: Path, books: Mapping[str, Cell] | None = None) -> None:
    """Write the instructor's notebooks of the course at `root`."""
    for name, book in (books or source_books()).items():
        write(root / "source" / ASSIGNMENT / f"{name}.ipynb", book)


def submit(
    root: Path,
    student: str,
    answer: str = RIGHT,
    *,
    essay: str = "Twice as much.",
    timestamp: str | None = None,
    extra: Iterable[Cell] = (),
) -> Path:
    """Put a submission into the course at `root`; return its folder."""
    books = source_books()
    books["alpha"]["cells"][2]["source"] = answer
    books["alpha"]["cells"][4]["source"] = "assert double(0) == 0"
    books["alpha"]["cells"] += list(extra)
    books["beta"]["cells"][0]["source"] = essay
    folder = root / "submitted" / student / ASSIGNMENT
    for name, book in books.items():
        write(folder / f"{name}.ipynb", book)
    if timestamp is not None:
        (folder / "timestamp.txt").write_text(timestamp)
    return folder


def write(path: Path, book: Cell) -> None:
    """Write a notebook as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(book, ensure_ascii=False), encoding="utf-8")


class FakeExecutor:
    """Judges by words in the answer instead of running it; counts the jobs it was given.

    RIGHT passes every test, REVIEW can't be judged, BROKEN is our failure, anything else fails. Status and
    score are left to the grader.
    """

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.seen: list[str] = []

    def __enter__(self):
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def run(self, jobs: Iterable[Job]) -> Iterator[Finished]:
        for job in jobs:
            self.seen.append(job.student_id)
            yield self._judge(job)

    def _judge(self, job: Job) -> Finished:
        texts = {
            book.name: " ".join(c.text for c in book.cells) or "REVIEW: unreadable"
            for book in job.intake.notebooks
        }
        all_text = " ".join(texts.values())
        broken = "BROKEN" in all_text
        books = tuple(
            NotebookResult(
                book.name,
                tuple(
                    _judge_cell(c.grade_id, c.points, c.role, texts[book.name], broken)
                    for c in book.cells
                    if c.grade_id is not None and c.role in (Role.TEST, Role.GRADED_ANSWER)
                ),
            )
            for book in self.assignment.notebooks
        )
        result = SubmissionResult(
            student_id=job.student_id,
            status=Status.INFRASTRUCTURE_ERROR if broken else Status.GRADED,
            score=None,
            max_score=self.assignment.max_score,
            seconds=0.01,
            peak_memory_mib=None,
            notebooks=books,
        )
        out = {"output_type": "stream", "name": "stdout", "text": "<script>alert('out')</script>\n"}
        runs = {
            book.name: tuple(CellRun((out,) if c.cell_type == "code" else (), 1) for c in book.cells)
            for book in job.intake.notebooks
        }
        return Finished(result, runs)


def _judge_cell(grade_id: str, points: float, role: Role, text: str, broken: bool) -> TestResult:
    if role is Role.GRADED_ANSWER:
        return TestResult(grade_id, TestOutcome.MANUAL, None, points)
    if "REVIEW" in text or broken:
        return TestResult(grade_id, TestOutcome.NEEDS_REVIEW, None, points, "the answer could not be judged")
    if "RIGHT" in text:
        return TestResult(grade_id, TestOutcome.PASSED, points, points)
    return TestResult(grade_id, TestOutcome.FAILED, 0.0, points, "翻倍不对。/ Doubling is wrong. <b>&</b>")
