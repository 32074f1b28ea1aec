"""What intake makes of a submission: notebooks laid onto the source's cells, with every repair noted."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LaidCell:
    """One cell of a submission in its place.

    Attributes:
        source_index: Index of the cell in the source notebook; None for a cell that the student added.
        cell_type: ``code``, ``markdown`` or ``raw``.
        text: What runs in the student process: the student's text, or for a test cell the released text.
        cell_id: The source cell's id; for an added cell, an id unique in this notebook.
    """

    source_index: int | None
    cell_type: str
    text: str
    cell_id: str


@dataclass(frozen=True, slots=True)
class LaidNotebook:
    """A submission's notebook, laid onto the source.

    Every code cell of the release and every cell with nbgrader metadata is there once, in the source's
    order, with the student's added cells in between. Plain prose is there if the student has it.
    A notebook that the student did not send, or that cannot be read, has no cells.
    """

    name: str
    cells: tuple[LaidCell, ...]


@dataclass(frozen=True, slots=True)
class Intake:
    """A submission that is ready to run.

    Attributes:
        notebooks: One entry for each notebook of the assignment, in its order.
        files: The student's other files that may lie beside the notebooks (the assignment's own files win).
        repairs: What was repaired, one line each.
        problems: Why a person must look, one line each: the submission is `needs_review`.
        notes: Other remarks for the instructor (missing notebook, late files, ...).
    """

    notebooks: tuple[LaidNotebook, ...]
    files: Mapping[str, bytes]
    repairs: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
