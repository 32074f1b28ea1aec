"""Decides how each cell is examined, by running the instructor's own solution both ways."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from autograde.examiner.submission import Bench, examine
from autograde.examiner.task import CellPlan, LaidText, Plan, Report, Work
from autograde.examiner.watching import Watched, watch
from autograde.outcome import TestOutcome

Examine = Callable[[Bench, Work], Report]


InForks = Callable[[list[Callable[[], Any]]], list[Any]]


def make_plan(bench: Bench, fingerprint: str, in_forks: InForks) -> Plan:
    """Return the plan of an assignment.

    Args:
        bench: What to run the solution with; its own plan is not used.
        fingerprint: The assignment's.
        in_forks: Runs functions, each in a process forked for it, and returns what they returned.
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
    watched: list[Watched] = in_forks([partial(watch, bench, solution, book) for book in bench.task.books])
    books = [list(seen.plan) for seen in watched]
    work = _released_tests(bench, solution)
    for step in (_draw, _run_all, _take_all_names, _share, None):
        plan = Plan(fingerprint, tuple(tuple(book) for book in books))
        recording = replace(bench, plan=plan, recording=True)
        (report,) = in_forks([partial(examine, recording, work, _no_progress)])
        failed = _not_full(bench, report)
        spoilt = _spoilt(report, watched)
        if step is None or not (failed or spoilt):
            break
        step(books, failed, spoilt, watched)
    if failed:
        _trust_no_failed_run(bench, books, failed, watched)
        plan = replace(plan, books=tuple(tuple(book) for book in books))
    problems = tuple(
        f"{bench.task.books[number].name}: {bench.task.books[number].cells[index].grade_id}: "
        "the instructor's own solution does not get full marks"
        for number, index in failed
    )
    seen = tuple(
        tuple(replace(cell, seen=given.get(index, ())) for index, cell in enumerate(book))
        for book, given in zip(plan.books, report.seen, strict=True)
    )
    return replace(plan, books=seen, problems=problems, modules=tuple(sorted(report.modules)))


Places = list[tuple[int, int]]  # a notebook's number and a cell's index


def _draw(books: list[list[CellPlan]], failed: Places, spoilt: Places, watched: list[Watched]) -> None:
    """Draw the figures whose cells fail when they are not drawn."""
    for number, index in spoilt:
        books[number][index] = replace(books[number][index], undrawn=False)


def _run_all(books: list[list[CellPlan]], failed: Places, spoilt: Places, watched: list[Watched]) -> None:
    """Have the examiner run every cell of a notebook with a failing test."""
    for number in {number for number, _ in failed}:
        books[number] = [replace(cell, skipped=False, undrawn=False) for cell in books[number]]


def _take_all_names(
    books: list[list[CellPlan]], failed: Places, spoilt: Places, watched: list[Watched]
) -> None:
    """Give a failing test every name of the student's: it may look one up by its text."""
    for number, index in failed:
        names = tuple(sorted(watched[number].all_names[index]))
        books[number][index] = replace(books[number][index], names=names)


def _share(books: list[list[CellPlan]], failed: Places, spoilt: Places, watched: list[Watched]) -> None:
    """Move a failing test to the student's process, if it passes there."""
    for number, index in failed:
        if watched[number].passed[index]:
            books[number][index] = replace(books[number][index], shared=True)


def _trust_no_failed_run(
    bench: Bench, books: list[list[CellPlan]], failed: Places, watched: list[Watched]
) -> None:
    """Where the solution is not written or wrong, ask for every name, and allow what the limits allow.

    Its run shows neither what an answer will define nor how long it will take.
    """
    for number in {number for number, _ in failed}:
        book, seen = books[number], watched[number]
        for index, cell in enumerate(bench.task.books[number].cells):
            if not cell.code or (seen.passed[index] and (number, index) not in failed):
                continue
            names = book[index].names
            if not cell.role.endswith("answer"):
                names = tuple(sorted({*names, *seen.unknown[index]}))
            book[index] = replace(book[index], names=names, seconds=bench.task.limits.cell_seconds)


def _no_progress(number: int, what: object) -> None:
    """Nobody waits for the plan's runs."""


def _released_tests(bench: Bench, solution: Work) -> Work:
    """Return the solution as a student would hand it in: the tests as released."""
    books = tuple(
        tuple(
            item._replace(text=cell.released) if cell.is_test else item
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


def _spoilt(report: Report, watched: list[Watched]) -> Places:
    """Return the cells that fail, and that did not fail when figures were drawn."""
    return [
        (number, index)
        for number, (cells, seen) in enumerate(zip(report.runs, watched, strict=True))
        for index, ((outputs, _), plan) in enumerate(zip(cells, seen.plan, strict=True))
        if plan.undrawn and seen.passed[index] and any(output["output_type"] == "error" for output in outputs)
    ]
