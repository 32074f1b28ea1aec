"""What earlier states of ``source/`` gave to students: a corrected test is not one that they changed.

One file for each assignment beside the autograded submissions, written by the grader alone: a student's own
metadata, checksums included, proves nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from autograde.atomic import write_atomic, writing
from autograde.course import Assignment, text_digest

_KEPT = 20  # texts of one cell

Texts = Mapping[str, Mapping[str, list[str]]]  # notebook -> grade id -> digests, oldest first


def with_earlier_releases(autograded: Path, assignment: Assignment) -> Assignment:
    """Return `assignment` with what earlier gradings saw released, and remember what it releases now.

    Raises:
        InfrastructureError: The file can't be written.
    """
    path = releases_path(autograded, assignment.name)
    known = _load(path)
    seen: dict[str, dict[str, list[str]]] = {}
    for book in assignment.notebooks:
        mine = seen[book.name] = dict(known.get(book.name, {}))
        for cell in book.cells:
            if cell.grade_id is not None:
                texts = mine.get(cell.grade_id, [])
                now = text_digest(cell.released)
                mine[cell.grade_id] = [*(text for text in texts if text != now), now][-_KEPT:]
    if seen != known:
        with writing(autograded):
            write_atomic(path, json.dumps(seen).encode())
    books = tuple(
        replace(
            book,
            cells=tuple(
                replace(cell, earlier=frozenset(seen[book.name][cell.grade_id][:-1]))
                if cell.grade_id is not None
                else cell
                for cell in book.cells
            ),
        )
        for book in assignment.notebooks
    )
    return replace(assignment, notebooks=books)


def releases_path(autograded: Path, name: str) -> Path:
    """Return the file of one assignment."""
    return autograded / f".autograde.{name}.releases.json"


def _load(path: Path) -> Texts:
    """Return what the file says; nothing if it says nothing that can be understood."""
    try:
        data = json.loads(path.read_bytes())
        return {
            str(book): {str(grade_id): [str(text) for text in texts] for grade_id, texts in cells.items()}
            for book, cells in data.items()
        }
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
