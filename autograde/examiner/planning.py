"""Decides how each cell is examined, by running the instructor's own solution both ways."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from autograde.examiner.notebook import top_level_names
from autograde.examiner.student_side import StudentError, StudentSide
from autograde.examiner.submission import Bench, Report, Students, examine
from autograde.examiner.task import Book, Cell, CellPlan, LaidText, Plan, Work
from autograde.outcome import TestOutcome

_WORD = re.compile(r"[^\W\d]\w*")
_NOT_THEIRS = re.compile(r"_|__\w+__|_i+|_?o?h|_dh|_\d+|_i\d+|In|Out|get_ipython|exit|quit")

Examine = Callable[[Bench, Work], Report]


def make_plan(bench: Bench, fingerprint: str, in_fork: Callable[[Callable[[], Any]], Any]) -> Plan:
    """Return the plan of an assignment.

    Args:
        bench: What to run the solution with; its own plan is not used.
        fingerprint: The assignment's.
        in_fork: Runs a function in a forked process and returns what it returned.
    """
    solution = Work(
        "solution",
        tuple(
            tuple(LaidText(index, cell.code, cell.source) for index, cell in enumerate(book.cells))
            for book in bench.task.books
        ),
        {},
        False,
    )
    watched: list[Watched] = in_fork(lambda: watch(bench, solution))
    books = [seen.plan for seen in watched]
    everything = [seen.all_names for seen in watched]
    work = _released_tests(bench, solution)
    for attempt in ("names used", "every name", "shared"):
        plan = Plan(fingerprint, tuple(tuple(book) for book in books))
        report = in_fork(partial(examine, replace(bench, plan=plan), work, _no_progress))
        failed = _not_full(bench, report)
        if not failed or attempt == "shared":
            break
        for number, index in failed:
            cell_plan = books[number][index]
            if attempt == "names used":
                books[number][index] = replace(cell_plan, names=tuple(sorted(everything[number][index])))
            elif watched[number].passed[index]:
                books[number][index] = replace(cell_plan, shared=True)
    problems = tuple(
        f"{bench.task.books[number].name}: {bench.task.books[number].cells[index].grade_id}: "
        "the instructor's own solution does not get full marks"
        for number, index in failed
    )
    return replace(plan, problems=problems)


def _no_progress(number: int, what: object) -> None:
    """Nobody waits for the plan's runs."""


def _released_tests(bench: Bench, solution: Work) -> Work:
    """Return the solution as a student would hand it in: the tests as released."""
    books = tuple(
        tuple(
            replace(item, text=cell.released) if cell.is_test else item
            for item, cell in zip(laid, book.cells, strict=True)
        )
        for laid, book in zip(solution.books, bench.task.books, strict=True)
    )
    return replace(solution, books=books)


def _not_full(bench: Bench, report: Report) -> list[tuple[int, int]]:
    failed = []
    for number, book in enumerate(bench.task.books):
        graded = [index for index, cell in enumerate(book.cells) if cell.is_graded]
        for index, result in zip(graded, report.tests[number], strict=True):
            if book.cells[index].is_test and result.outcome is not TestOutcome.PASSED:
                failed.append((number, index))
    return failed


class Watched:
    """What the instructor's own run of one notebook showed.

    Attributes:
        plan: For each cell, its names and time.
        all_names: For each cell, every name that is the student's before it.
        passed: For each cell, whether it ran without an error (a test: with full marks).
    """

    def __init__(self) -> None:
        self.plan: list[CellPlan] = []
        self.all_names: list[set[str]] = []
        self.passed: list[bool] = []


def watch(bench: Bench, solution: Work) -> list[Watched]:
    """Run the solution in the student's process, tests in full, and see which cell binds and changes what."""
    students = Students(bench, solution)
    try:
        return [_watch_book(bench, students, book) for book in bench.task.books]
    finally:
        students.close()


def _watch_book(bench: Bench, students: Students, book: Book) -> Watched:
    limits = bench.task.limits
    side = StudentSide(students.open, limits, time.monotonic() + limits.submission_seconds)
    seen = Watched()
    theirs: set[str] = set()
    libraries: dict[str, str] = {}
    bound_by: list[tuple[set[str], str]] = []  # the instructor's cells so far: names bound, text
    before = _names(side)
    for cell in book.cells:
        if not cell.code:
            seen.plan.append(CellPlan())
            seen.all_names.append(set())
            seen.passed.append(False)
            continue
        words = _words_reached(cell.source, bound_by)
        _, read = top_level_names(cell.source)
        bound, _ = top_level_names(cell.source)
        fetched = theirs & words
        began = time.monotonic()
        passed = False
        try:
            _, error, value = side.run_cell(cell.source, limits.cell_seconds)
            passed = error is None and _full_marks(cell, value)
        except StudentError:
            passed = False
        seconds = time.monotonic() - began
        seen.plan.append(
            CellPlan(
                tuple(sorted(fetched)),
                tuple(sorted((read - bound) & fetched)),
                tuple(sorted((name, path) for name, path in libraries.items() if name in words)),
                False,
                seconds,
            )
        )
        seen.all_names.append(set(theirs))
        seen.passed.append(passed)
        after = _names(side)
        changed = {name for name, facts in after.items() if before.get(name, ())[:2] != facts[:2]}
        if cell.role in ("answer", "graded_answer"):
            for name in changed | (bound & after.keys()):
                path = after[name][2]
                if path is not None:
                    libraries[name] = path
                    theirs.discard(name)
                else:
                    theirs.add(name)
        else:
            theirs -= changed
            for name in changed:
                libraries.pop(name, None)
            bound_by.append((changed | bound, cell.source))
        before = after
    side.close()
    return seen


def _full_marks(cell: Cell, value: str | None) -> bool:
    if not cell.is_test or value is None:
        return True
    try:
        return float(value) == cell.points
    except ValueError:
        return True


def _names(side: StudentSide) -> dict[str, tuple[int, int | None, str | None]]:
    """Return, for each name of the notebook, its identity, its digest, and where a library defines it."""
    _, rows = side.ask(60.0, "names")
    return {
        name: (identity, digest, path)
        for name, identity, digest, path in rows
        if not _NOT_THEIRS.fullmatch(name)
    }


def _words_reached(source: str, bound_by: list[tuple[set[str], str]]) -> set[str]:
    """Return the words of a cell and of the instructor's cells that define what it uses, and so on."""
    words = set(_WORD.findall(source))
    waiting = list(bound_by)
    while True:
        reached = [(bound, text) for bound, text in waiting if bound & words]
        if not reached:
            return words
        waiting = [item for item in waiting if item not in reached]
        for _, text in reached:
            words |= set(_WORD.findall(text))
