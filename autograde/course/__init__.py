"""A course on disk: the cells and points of an assignment, and what students sent for it."""

from autograde.course.model import Assignment, Role, SourceCell, SourceNotebook, Submission
from autograde.course.source import load_assignment
from autograde.course.submitted import find_submissions, submitted_students

__all__ = [
    "Assignment",
    "Role",
    "SourceCell",
    "SourceNotebook",
    "Submission",
    "find_submissions",
    "load_assignment",
    "submitted_students",
]
