"""Build small nbgrader courses, and submissions to them, from readable Python."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from autograde.course import Assignment, SourceNotebook

Cell = dict[str, Any]
Notebook = dict[str, Any]


def cell(cell_type: str, text: str, cell_id: str, nbgrader: Mapping[str, Any] | None = None) -> Cell:
    built: Cell = {"cell_type": cell_type, "id": cell_id, "metadata": {}, "source": text.strip("\n")}
    if cell_type == "code":
        built |= {"execution_count": None, "outputs": []}
    if nbgrader is not None:
        defaults = {"schema_version": 3, "grade": False, "solution": False, "locked": False, "task": False}
        built["metadata"]["nbgrader"] = {**defaults, "grade_id": cell_id, **nbgrader}
    return built


def prose(cell_id: str, text: str) -> Cell:
    return cell("markdown", text, cell_id)


def given(cell_id: str, text: str, *, locked: bool = False) -> Cell:
    return cell("code", text, cell_id, {"locked": True} if locked else None)


def answer(grade_id: str, text: str) -> Cell:
    return cell("code", text, grade_id, {"solution": True})


def check(grade_id: str, points: float, text: str) -> Cell:
    return cell("code", text, grade_id, {"grade": True, "locked": True, "points": points})


def written(grade_id: str, points: float, text: str, cell_type: str = "markdown") -> Cell:
    """An answer that a person grades."""
    return cell(cell_type, text, grade_id, {"grade": True, "solution": True, "points": points})


def task(grade_id: str, points: float, text: str) -> Cell:
    return cell("markdown", text, grade_id, {"task": True, "locked": True, "points": points})


def notebook(cells: Iterable[Cell]) -> Notebook:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "cells": list(cells),
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def dump(book: Notebook) -> bytes:
    """Write a notebook as Jupyter does."""
    return (json.dumps(book, indent=1, ensure_ascii=False) + "\n").encode()


def write_source(
    course: Path, assignment: str, books: Mapping[str, Notebook], files: Mapping[str, bytes] | None = None
) -> Path:
    """Write ``source/ASSIGNMENT`` and return the course's folder."""
    folder = course / "source" / assignment
    write_files(folder, {f"{name}.ipynb": dump(book) for name, book in books.items()})
    write_files(folder, files or {})
    return course


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def released(book: SourceNotebook) -> Notebook:
    """Return the notebook that students get."""
    cells = []
    for source in book.cells:
        if not source.in_release:
            continue
        made = cell(source.cell_type, source.released, source.cell_id)
        made["source"] = source.released
        made["metadata"] = json.loads(json.dumps(source.metadata))
        cells.append(made)
    return notebook(cells)


def filled(assignment: Assignment, answers: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files of a student who filled in `answers` (grade id -> text) and nothing else."""
    files = {}
    for book in assignment.notebooks:
        sent = released(book)
        for made in sent["cells"]:
            grade_id = made["metadata"].get("nbgrader", {}).get("grade_id")
            if grade_id in answers:
                made["source"] = answers[grade_id].strip("\n")
        files[f"{book.name}.ipynb"] = dump(sent)
    return files


def parse(text: str) -> list[Cell]:
    """Read cells from text: a line ``# %% KIND NAME [POINTS]`` begins each of them."""
    makers = {
        "prose": lambda name, text: prose(name, text),
        "given": lambda name, text: given(name, text),
        "locked": lambda name, text: given(name, text, locked=True),
        "answer": lambda name, text: answer(name, text),
        "test": lambda name, text, points: check(name, float(points), text),
        "written": lambda name, text, points: written(name, float(points), text),
        "graded": lambda name, text, points: written(name, float(points), text, "code"),
        "task": lambda name, text, points: task(name, float(points), text),
    }
    cells = []
    for piece in text.strip("\n").removeprefix("# %% ").split("\n# %% "):
        header, _, body = piece.partition("\n")
        kind, name, *points = header.split()
        cells.append(makers[kind](name, body, *points))
    return cells
