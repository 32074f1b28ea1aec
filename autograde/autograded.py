"""The notebooks under ``autograded/``: what nbgrader's ``generate_feedback`` and Formgrader read.

A test cell shows its released text and its verdict, never its hidden part: so no page that is made from
these notebooks can show hidden tests, whoever makes it. A student's function sees the inputs of hidden
calls and a later cell could print them: outputs from there on are marked as not for feedback.
"""

import errno
import json
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from autograde.atomic import write_atomic
from autograde.course import Assignment, Role, SourceCell, SourceNotebook
from autograde.executors import CellRun
from autograde.gradebook.registration import cell_spec
from autograde.intake import Intake, LaidCell, LaidNotebook
from autograde.outcome import NotebookResult, SubmissionResult, TestOutcome, TestResult
from autograde.record import FILE_NAME
from autograde.sanitize import clean_output

METADATA_KEY = "autograde"
_BAD_NAME = frozenset(
    {errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EINVAL, errno.EILSEQ}
)
_KEPT_METADATA = ("kernelspec", "language_info")


class AutogradedWriter:
    """Writes the autograded notebooks of one assignment.

    Args:
        assignment: The assignment; what all its submissions share is computed once.
    """

    def __init__(self, assignment: Assignment) -> None:
        """Compute the metadata of every cell of ``source/``."""
        self._assignment = assignment
        self._metadata = {
            book.name: tuple(_metadata(cell) for cell in book.cells) for book in assignment.notebooks
        }
        hidden = [book.name for book in assignment.notebooks if any(map(_is_hidden, book.cells))]
        names = [book.name for book in assignment.notebooks]
        self._after_hidden = set(names[names.index(hidden[0]) + 1 :] if hidden else [])

    def build(
        self,
        source: SourceNotebook,
        laid: LaidNotebook,
        result: NotebookResult | None,
        runs: Sequence[CellRun],
        problems: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Return the autograded form of one notebook, in nbformat 4.5.

        Args:
            source: The instructor's notebook.
            laid: The student's, laid onto it; without cells, the released notebook stands in.
            result: The verdicts; None if there are none.
            runs: What each laid cell printed; empty if nothing ran.
            problems: Why a person must look; shown at the top.
        """
        tests = {test.grade_id: test for test in result.tests} if result else {}
        cells = [_notice(problems)] if problems else []
        laid_cells = laid.cells or tuple(
            LaidCell(index, cell.cell_type, cell.released, cell.cell_id)
            for index, cell in enumerate(source.cells)
            if cell.in_release
        )
        shown = source.name not in self._after_hidden
        for index, laid_cell in enumerate(laid_cells):
            run = runs[index] if index < len(runs) else CellRun((), None)
            cells.append(self._cell(source, laid_cell, run, tests, shown))
            origin = None if laid_cell.source_index is None else source.cells[laid_cell.source_index]
            shown = shown and not (origin is not None and _is_hidden(origin))
        metadata = {key: source.metadata[key] for key in _KEPT_METADATA if key in source.metadata}
        return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}

    def write(
        self,
        folder: Path,
        intake: Intake,
        result: SubmissionResult,
        runs: Mapping[str, Sequence[CellRun]],
        timestamp: datetime | None = None,
    ) -> tuple[str, ...]:
        """Write a submission's notebooks and the files beside them; take away what an earlier grading left.

        Args:
            folder: ``autograded/<student>/<assignment>``.
            intake: The submission, laid.
            result: Its outcome.
            runs: Notebook name -> what each laid cell printed.
            timestamp: When it was submitted; without a zone, in UTC.

        Returns:
            The student's files that could not be copied because of their names.

        Raises:
            OSError: The folder cannot be written.
        """
        laid = {book.name: book for book in intake.notebooks}
        results = {book.name: book for book in result.notebooks}
        targets: dict[Path, bytes] = {}
        for source in self._assignment.notebooks:
            name = source.name
            mine = laid.get(name, LaidNotebook(name, ()))
            book = self.build(source, mine, results.get(name), runs.get(name, ()), intake.problems)
            data = json.dumps(book, ensure_ascii=False).encode("utf-8", "replace")
            targets[folder / f"{name}.ipynb"] = data
        targets |= _inside(folder, self._assignment.files)
        if timestamp is not None:  # nbgrader's release_feedback reads it
            moment = timestamp.astimezone(UTC) if timestamp.tzinfo else timestamp
            targets[folder / "timestamp.txt"] = f"{moment:%Y-%m-%d %H:%M:%S.%f} UTC".encode()
        theirs = {path: data for path, data in _inside(folder, intake.files).items() if path not in targets}
        _remove_others(folder, {*targets, *theirs})
        for path, data in targets.items():
            if path.suffix == ".ipynb" or not path.is_file() or path.read_bytes() != data:
                write_atomic(path, data)
        return tuple(str(path.relative_to(folder)) for path, data in theirs.items() if not _copy(path, data))

    def _cell(
        self,
        source: SourceNotebook,
        laid: LaidCell,
        run: CellRun,
        tests: Mapping[str, TestResult],
        shown: bool,
    ) -> dict[str, Any]:
        mark = {"trusted": False, "shown": shown}
        metadata: dict[str, Any] = {METADATA_KEY: mark}
        outputs = [clean for output in run.outputs if (clean := clean_output(output)) is not None]
        if laid.source_index is not None:
            origin = source.cells[laid.source_index]
            mark["trusted"] = laid.text == origin.released
            if (nbgrader := self._metadata[source.name][laid.source_index]) is not None:
                metadata["nbgrader"] = nbgrader
            if origin.role is Role.TEST:
                test = tests.get(origin.grade_id or "")
                outputs = [] if test is None else [_verdict(test)]
                mark["shown"] = True
        cell: dict[str, Any] = {
            "cell_type": laid.cell_type,
            "id": laid.cell_id,
            "metadata": metadata,
            "source": laid.text,
        }
        if laid.cell_type == "code":
            cell |= {"execution_count": run.execution_count, "outputs": outputs}
        return cell


def _is_hidden(cell: SourceCell) -> bool:
    return cell.role is Role.TEST and cell.source != cell.released


def _metadata(cell: SourceCell) -> dict[str, Any] | None:
    spec = cell_spec(cell)
    if spec is None:
        return None
    points = {"points": cell.points} if spec.kinds & {"grade", "task"} else {}
    return {**cell.metadata["nbgrader"], **points, "checksum": spec.checksum}


def _inside(folder: Path, files: Mapping[str, bytes]) -> dict[Path, bytes]:
    """Return where the files beside the notebooks go; hidden or outward names go nowhere."""
    inside = {}
    for name, content in files.items():
        parts = PurePosixPath(name).parts
        if parts and not any(part.startswith((".", "/")) or part.endswith(".ipynb") for part in parts):
            inside[folder.joinpath(*parts)] = content
    return inside


def _copy(path: Path, data: bytes) -> bool:
    """Write a student's file; tell whether its name allowed it."""
    try:
        write_atomic(path, data)
    except OSError as error:
        if error.errno in _BAD_NAME:
            return False
        raise
    return True


def _remove_others(folder: Path, kept: Collection[Path]) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_symlink() or path.is_file():
            if path not in kept and not path.name.startswith(FILE_NAME):
                path.unlink()
        elif not any(path.iterdir()):
            path.rmdir()


def _verdict(test: TestResult) -> dict[str, Any]:
    points = "?" if test.points is None else f"{test.points:g}"
    line = f"{test.outcome.value}: {points} / {test.max_points:g}"
    text = line if test.outcome is TestOutcome.PASSED or not test.message else f"{line}\n{test.message}"
    return {"output_type": "stream", "name": "stdout", "text": text + "\n"}


def _notice(problems: Sequence[str]) -> dict[str, Any]:
    lines = "\n".join(f"    {' '.join(problem.split())}" for problem in problems)
    return {
        "cell_type": "markdown",
        "id": "autograde-needs-review",
        "metadata": {METADATA_KEY: {"trusted": False, "shown": True}},
        "source": f"**This submission needs a person's decision; it was not scored.**\n\n{lines}",
    }
