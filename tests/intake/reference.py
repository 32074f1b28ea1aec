"""A plain reference run of a laid submission: its cells and the source's tests in one namespace."""

import contextlib
import io

from autograde.course import Assignment, Role
from autograde.intake import Intake


def scores(assignment: Assignment, intake: Intake) -> dict[str, float]:
    """Return points by test, as a cell-by-cell run gives them; a failing cell does not stop the rest."""
    earned: dict[str, float] = {}
    for source, laid in zip(assignment.notebooks, intake.notebooks, strict=True):
        space: dict[str, object] = {"__name__": "__main__"}
        earned |= {c.grade_id: 0.0 for c in source.cells if c.role is Role.TEST}
        for cell in laid.cells:
            if cell.cell_type != "code":
                continue
            origin = None if cell.source_index is None else source.cells[cell.source_index]
            is_test = origin is not None and origin.role is Role.TEST
            with contextlib.redirect_stdout(io.StringIO()):
                try:
                    exec(compile(origin.source if is_test else cell.text, "cell", "exec"), space)
                except Exception:
                    continue
            if is_test:
                earned[origin.grade_id] = origin.points
    return earned
