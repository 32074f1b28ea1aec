"""The cases' assignment, loaded once."""

from pathlib import Path

import pytest

from autograde.course import Assignment, load_assignment
from tests.builder import filled
from tests.cases.course import ANSWERS, ASSIGNMENT, write_course


@pytest.fixture(scope="session")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    course: Path = write_course(tmp_path_factory.mktemp("course"))
    return load_assignment(course, ASSIGNMENT)


@pytest.fixture(scope="session")
def honest(shapes: Assignment) -> dict[str, bytes]:
    return filled(shapes, ANSWERS)
