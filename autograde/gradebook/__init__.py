"""nbgrader's database: the only package that knows its schema.

Rows are written so that nbgrader's own ``export``, ``generate_feedback`` and Formgrader go on from there.
Its API asks the database once for each cell; here a submission is one transaction of a dozen statements.
"""

from autograde.gradebook.book import Gradebook, Recorded
from autograde.gradebook.database import sqlite_file
from autograde.gradebook.reading import CellScore, Student, StudentScores
from autograde.gradebook.writing import CellKey, LatePenalty

__all__ = [
    "CellKey",
    "CellScore",
    "Gradebook",
    "LatePenalty",
    "Recorded",
    "Student",
    "StudentScores",
    "sqlite_file",
]
