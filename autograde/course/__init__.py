"""A course on disk: the cells and points of an assignment, and what students sent for it."""

from autograde.course.model import (
    Assignment,
    Role,
    SourceCell,
    SourceNotebook,
    Submission,
    normal_text,
    text_digest,
)
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
    "normal_text",
    "submitted_students",
    "text_digest",
]
