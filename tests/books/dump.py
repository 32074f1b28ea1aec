"""A gradebook's content without its random ids."""

import sqlite3
from pathlib import Path
from typing import Any

QUERIES = {
    "students": "select id, coalesce(first_name,''), coalesce(last_name,''), coalesce(email,'') from student",
    "assignments": "select name, duedate, course_id from assignment",
    "notebooks": "select n.name, n.kernelspec from notebook n",
    "cells": "select n.name, b.name, b.type from base_cell b join notebook n on n.id = b.notebook_id",
    "grade_cells": """select b.name, g.max_score, g.cell_type
        from grade_cells g join base_cell b on b.id = g.id""",
    "task_cells": "select b.name, g.max_score, g.cell_type from task_cells g join base_cell b on b.id = g.id",
    "solution_cells": "select b.name from solution_cells s join base_cell b on b.id = s.id",
    "source_cells": """select n.name, s.name, s.cell_type, s.locked, s.source, s.checksum
        from source_cell s join notebook n on n.id = s.notebook_id""",
    "submissions": "select student_id, timestamp, extension from submitted_assignment",
    "submitted_notebooks": """select a.student_id, n.name, s.flagged, s.late_submission_penalty
        from submitted_notebook s join submitted_assignment a on a.id = s.assignment_id
        join notebook n on n.id = s.notebook_id""",
    "grades": """select a.student_id, b.name, b.type, g.auto_score, g.manual_score, g.extra_credit,
        g.needs_manual_grade from grade g join base_cell b on b.id = g.cell_id
        join submitted_notebook s on s.id = g.notebook_id
        join submitted_assignment a on a.id = s.assignment_id""",
    "comments": """select a.student_id, b.name, b.type, c.auto_comment, c.manual_comment from comment c
        join base_cell b on b.id = c.cell_id join submitted_notebook s on s.id = c.notebook_id
        join submitted_assignment a on a.id = s.assignment_id""",
    "version": "select version_num from alembic_version",
}


def dump(database: Path) -> dict[str, list[Any]]:
    """Return every table's rows, sorted, with names in place of ids."""
    connection = sqlite3.connect(database)
    try:
        return {name: sorted(connection.execute(query), key=repr) for name, query in QUERIES.items()}
    finally:
        connection.close()
