"""Decides how each cell is examined, by running the instructor's own solution both ways."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from autograde.examiner.client import StudentError
from autograde.examiner.names import WORD, bound_and_needed
from autograde.examiner.student_side import StudentSide
from autograde.examiner.submission import Bench, Students, examine
from autograde.examiner.task import Book, Cell, CellPlan, LaidText, Plan, Report, Work
from autograde.outcome import TestOutcome

_NOT_THEIRS = re.compile(r"_+|__\w+__|_i+|_?o?h|_dh|_\d+|_i\d+|In|Out|get_ipython|exit|quit")

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
    books = [list(seen.plan) for seen in watched]
    work = _released_tests(bench, solution)
    for step in (_draw, _run_all, _take_all_names, _share, None):
        plan = Plan(fingerprint, tuple(tuple(book) for book in books))
        report = in_fork(partial(examine, replace(bench, plan=plan), work, _no_progress))
        failed = _not_full(bench, report)
        spoilt = _spoilt(report, watched)
        if step is None or not (failed or spoilt):
            break
        step(books, failed, spoilt, watched)
    problems = tuple(
        f"{bench.task.books[number].name}: {bench.task.books[number].cells[index].grade_id}: "
        "the instructor's own solution does not get full marks"
        for number, index in failed
    )
    return replace(plan, problems=problems, modules=tuple(sorted(report.modules)))


Places = list[tuple[int, int]]  # a notebook's number and a cell's index


def _draw(books: list[list[CellPlan]], failed: Places, spoilt: Places, watched: list["Watched"]) -> None:
    """Draw the figures whose cells fail when they are not drawn."""
    for number, index in spoilt:
        books[number][index] = replace(books[number][index], undrawn=False)


def _run_all(books: list[list[CellPlan]], failed: Places, spoilt: Places, watched: list["Watched"]) -> None:
    """Have the examiner run every cell of a notebook with a failing test."""
    for number in {number for number, _ in failed}:
        books[number] = [replace(cell, skipped=False, undrawn=False) for cell in books[number]]


def _take_all_names(
    books: list[list[CellPlan]], failed: Places, spoilt: Places, watched: list["Watched"]
) -> None:
    """Give a failing test every name of the student's: it may look one up by its text."""
    for number, index in failed:
        names = tuple(sorted(watched[number].all_names[index]))
        books[number][index] = replace(books[number][index], names=names)


def _share(books: list[list[CellPlan]], failed: Places, spoilt: Places, watched: list["Watched"]) -> None:
    """Move a failing test to the student's process, if it passes there."""
    for number, index in failed:
        if watched[number].passed[index]:
            books[number][index] = replace(books[number][index], shared=True)


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


def _not_full(bench: Bench, report: Report) -> Places:
    failed = []
    for number, book in enumerate(bench.task.books):
        graded = [index for index, cell in enumerate(book.cells) if cell.is_graded]
        for index, result in zip(graded, report.tests[number], strict=True):
            if book.cells[index].is_test and result.outcome is not TestOutcome.PASSED:
                failed.append((number, index))
    return failed


def _spoilt(report: Report, watched: list["Watched"]) -> Places:
    """Return the cells that fail, and that did not fail when figures were drawn."""
    return [
        (number, index)
        for number, (cells, seen) in enumerate(zip(report.runs, watched, strict=True))
        for index, ((outputs, _), plan) in enumerate(zip(cells, seen.plan, strict=True))
        if plan.undrawn and seen.passed[index] and any(output["output_type"] == "error" for output in outputs)
    ]


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
    changed_by: list[set[str]] = []  # for each cell, the names that it binds or changes
    before = _names(side)
    for cell in book.cells:
        if not cell.code:
            seen.plan.append(CellPlan())
            seen.all_names.append(set())
            seen.passed.append(False)
            changed_by.append(set())
            continue
        words = _names_reached([cell.source], bound_by)
        bound, needed = bound_and_needed(cell.source)
        fetched = theirs & words
        began = time.monotonic()
        passed = False
        figures = False
        try:
            outputs, error, value = side.run_cell(cell.source, limits.cell_seconds)
            passed = error is None and _full_marks(cell, value)
            figures = any(_is_figure(output) for output in outputs)
        except StudentError:
            passed = False
        seconds = time.monotonic() - began
        seen.plan.append(
            CellPlan(
                tuple(sorted(fetched)),
                tuple(sorted(needed & fetched)),
                tuple(sorted((name, path) for name, path in libraries.items() if name in words)),
                False,
                seconds,
            )
        )
        seen.all_names.append(set(theirs))
        seen.passed.append(passed)
        after = _names(side)
        changed = {name for name, facts in after.items() if before.get(name, ())[:2] != facts[:2]}
        own = {name for name in changed | (bound & after.keys()) if after[name][2] is None}
        if cell.role == "given":
            seen.plan[-1] = replace(
                seen.plan[-1],
                skipped=figures or bool(fetched),
                undrawn=figures,
                binds=tuple(sorted(name for name in own if after[name][3])),
            )
        if cell.role in ("answer", "graded_answer"):
            for name in changed | (bound & after.keys()):
                path = after[name][2]
                if path is not None:
                    libraries[name] = path
                    theirs.discard(name)
                else:
                    theirs.add(name)
        else:
            # What a student's function changes when an instructor's cell calls it stays the student's.
            changed = {name for name in changed if name not in theirs or name in bound}
            theirs -= changed
            for name in changed:
                libraries.pop(name, None)
            bound_by.append((changed | bound, cell.source))
        changed_by.append(changed)
        before = after
    side.close()
    _drop_needed(book, seen, bound_by, changed_by)
    return seen


def _drop_needed(
    book: Book, seen: Watched, bound_by: list[tuple[set[str], str]], changed_by: list[set[str]]
) -> None:
    """Have the cells run that a test needs, and the figures drawn whose names another cell mentions."""
    words = _names_reached([cell.source for cell in book.cells if cell.is_test], bound_by)
    for index, (cell, plan) in enumerate(zip(book.cells, seen.plan, strict=True)):
        others = " ".join(c.source + " " + c.released for c in book.cells[index + 1 :] if c.code)
        bound, _ = bound_and_needed(cell.source)
        needed = bool(words & (bound | changed_by[index]))
        mentioned = bool(set(plan.binds) & set(WORD.findall(others)))
        seen.plan[index] = replace(
            plan, skipped=plan.skipped and not needed, undrawn=plan.undrawn and not mentioned
        )


def _is_figure(output: dict[str, Any]) -> bool:
    return "data" in output and str(output["data"].get("text/plain", "")).startswith("<Figure")


def _full_marks(cell: Cell, value: str | None) -> bool:
    if not cell.is_test or value is None:
        return True
    try:
        return float(value) == cell.points
    except ValueError:
        return True


def _names(side: StudentSide) -> dict[str, tuple[int, int | None, str | None, bool]]:
    """Return, for each name: identity, digest, where a library defines it, whether it is live."""
    _, rows = side.ask(60.0, "names")
    return {
        name: (identity, digest, path, live)
        for name, identity, digest, path, live in rows
        if not _NOT_THEIRS.fullmatch(name)
    }


def _names_reached(sources: list[str], bound_by: list[tuple[set[str], str]]) -> set[str]:
    """Return the names that cells need, and what the instructor's cells that define these need, and so on."""
    names: set[str] = set()
    for source in sources:
        names |= bound_and_needed(source)[1]
    waiting = list(bound_by)
    while True:
        reached = [(bound, text) for bound, text in waiting if bound & names]
        if not reached:
            return names
        waiting = [item for item in waiting if item not in reached]
        for _, text in reached:
            names |= bound_and_needed(text)[1]
