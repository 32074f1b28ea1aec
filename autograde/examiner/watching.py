"""Watches the instructor's own solution run: whose each name is, what each cell needs, how long it takes."""

import builtins
import re
import time
from dataclasses import replace
from typing import Any

from autograde.examiner.client import StudentError
from autograde.examiner.names import WORD, bound_and_needed, names_reached
from autograde.examiner.student_side import StudentSide
from autograde.examiner.submission import Bench, Students
from autograde.examiner.task import Book, Cell, CellPlan, Work
from autograde.examiner.verdicts import gives_points

_NOT_THEIRS = re.compile(r"_+|__\w+__|_i+|_?o?h|_dh|_\d+|_i\d+|In|Out|get_ipython|exit|quit")


class Watched:
    """What the instructor's own run of one notebook showed.

    Attributes:
        plan: For each cell, its names and time.
        all_names: For each cell, every name that is the student's before it.
        unknown: For each cell, the names that it may take from before, and that nobody has bound by then.
        passed: For each cell, whether it ran without an error (a test: with full marks).
    """

    def __init__(self) -> None:
        self.plan: list[CellPlan] = []
        self.all_names: list[set[str]] = []
        self.unknown: list[set[str]] = []
        self.passed: list[bool] = []


def watch(bench: Bench, solution: Work, book: Book) -> Watched:
    """Run a notebook's solution in the student's process, tests in full, and see what each cell does.

    Figures are not drawn, unless something fails without them.
    """
    students = Students(bench, solution)
    try:
        seen, drew = _watch(bench, students, book, "undrawn")
        code = [index for index, cell in enumerate(book.cells) if cell.code]
        if drew and not all(seen.passed[index] for index in code):
            seen, _ = _watch(bench, students, book, "made")
        return seen
    finally:
        students.close()


def _watch(bench: Bench, students: Students, book: Book, figures: str) -> tuple[Watched, bool]:
    """Return what was seen, and whether an instructor's cell drew."""
    limits = bench.task.limits
    side = StudentSide(students.open, limits, time.monotonic() + limits.submission_seconds)
    watcher = _Watcher(side)
    drew = False
    for cell in book.cells:
        given = cell.role == "given"
        drew = watcher.run(cell, figures if given else "made", limits.cell_seconds) or drew
    side.close()
    _drop_needed(book, watcher.seen, watcher.bound_by, watcher.changed_by)
    return watcher.seen, drew


class _Watcher:
    """Follows the names of one notebook from cell to cell.

    Args:
        side: The process that runs it.
    """

    def __init__(self, side: StudentSide):
        self._side = side
        self._theirs: set[str] = set()  # the student's names so far
        self._libraries: dict[str, str] = {}
        self._before = _names(side)
        self.seen = Watched()
        self.bound_by: list[tuple[set[str], str]] = []  # the instructor's cells so far: names bound, text
        self.changed_by: list[set[str]] = []  # for each cell, the names that it binds or changes

    def run(self, cell: Cell, figures: str, seconds: float) -> bool:
        """Run the next cell; return whether it drew."""
        if not cell.code:
            self._note(CellPlan(), set(), set(), passed=False)
            return False
        names = names_reached([cell.source], self.bound_by)
        bound, needed = bound_and_needed(cell.source)
        fetched = self._theirs & names
        libraries = tuple(sorted(item for item in self._libraries.items() if item[0] in names))
        theirs = set(self._theirs)
        unknown = {name for name in names - self._before.keys() if not _is_python_s(name)}
        began = time.monotonic()
        passed = drew = numeric = False
        try:
            outputs, error, value, wanted = self._side.run_cell(cell.source, seconds, figures=figures)
            numeric = cell.is_test and gives_points(cell, value)
            full = not numeric or (value is not None and value.number == cell.points)
            passed = error is None and full
            drew = cell.role == "given" and (wanted or any(_is_figure(output) for output in outputs))
        except StudentError:
            passed = False
        took = time.monotonic() - began
        changed, live = self._follow(cell, bound)
        plan = CellPlan(
            tuple(sorted(fetched)),
            tuple(sorted(needed & fetched)),
            libraries,
            seconds=took,
            skipped=cell.role == "given" and (drew or bool(fetched)),
            undrawn=drew,
            binds=tuple(sorted(live)) if cell.role == "given" else (),
            numeric=numeric,
        )
        self._note(plan, theirs, unknown, changed, passed=passed)
        return drew

    def _follow(self, cell: Cell, bound: frozenset[str]) -> tuple[set[str], set[str]]:
        """See whose the names are after a cell; return those that it changed, and its live objects."""
        after = _names(self._side)
        changed = {name for name, facts in after.items() if self._before.get(name, ())[:2] != facts[:2]}
        own = {name for name in changed | (bound & after.keys()) if after[name][2] is None}
        if cell.role in ("answer", "graded_answer"):
            for name in changed | (bound & after.keys()):
                path = after[name][2]
                if path is not None:
                    self._libraries[name] = path
                    self._theirs.discard(name)
                else:
                    self._theirs.add(name)
        else:
            # What a student's function changes when an instructor's cell calls it stays the student's.
            changed = {name for name in changed if name not in self._theirs or name in bound}
            self._theirs -= changed
            for name in changed:
                self._libraries.pop(name, None)
            self.bound_by.append((changed | bound, cell.source))
        self._before = after
        return changed, {name for name in own if after[name][3]}

    def _note(
        self,
        plan: CellPlan,
        theirs: set[str],
        unknown: set[str],
        changed: set[str] | None = None,
        *,
        passed: bool,
    ) -> None:
        self.seen.plan.append(plan)
        self.seen.all_names.append(theirs)
        self.seen.unknown.append(unknown)
        self.seen.passed.append(passed)
        self.changed_by.append(changed or set())


def _drop_needed(
    book: Book, seen: Watched, bound_by: list[tuple[set[str], str]], changed_by: list[set[str]]
) -> None:
    """Have the cells run that a test needs, and the figures drawn whose names another cell mentions."""
    words = names_reached([cell.source for cell in book.cells if cell.is_test], bound_by)
    for index, (cell, plan) in enumerate(zip(book.cells, seen.plan, strict=True)):
        others = " ".join(c.source + " " + c.released for c in book.cells[index + 1 :] if c.code)
        bound, _ = bound_and_needed(cell.source)
        needed = bool(words & (bound | changed_by[index]))
        mentioned = bool(set(plan.binds) & set(WORD.findall(others)))
        seen.plan[index] = replace(
            plan, skipped=plan.skipped and not needed, undrawn=plan.undrawn and not mentioned
        )


def _is_python_s(name: str) -> bool:
    return hasattr(builtins, name) or _NOT_THEIRS.fullmatch(name) is not None


def _is_figure(output: dict[str, Any]) -> bool:
    return "data" in output and str(output["data"].get("text/plain", "")).startswith("<Figure")


def _names(side: StudentSide) -> dict[str, tuple[int, int | None, str | None, bool]]:
    """Return, for each name: identity, digest, where a library defines it, whether it is live."""
    _, rows = side.ask(60.0, "names")
    return {
        name: (identity, digest, path, live)
        for name, identity, digest, path, live in rows
        if not _NOT_THEIRS.fullmatch(name)
    }
