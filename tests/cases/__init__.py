"""Submissions a grader must survive: an honest one, damaged in every way that students manage.

`CASES` is the corpus. Each case changes the files of an honest submission of `course.py`'s assignment and
says what is right: the status, a phrase that repairs, problems or notes must contain, and the tests that
may lose their points (all others must keep them).
"""

from tests.cases import folders, formats, structure
from tests.cases.corpus import Case

CASES: tuple[Case, ...] = (*structure.CASES, *formats.CASES, *folders.CASES)

__all__ = ["CASES", "Case"]
