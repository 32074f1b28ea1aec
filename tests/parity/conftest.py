"""Two classes that nbgrader grades in the test session: the parity course's, and our own chapter's."""

import shutil
from pathlib import Path

import pytest

from tests.parity.course import ASSIGNMENT, solutions, write_course
from tests.parity.golden import CONFIG, Golden, graded, release, send
from tests.parity.students import SENT_BY, STUDENTS, answers

ROOT = Path(__file__).parents[2]
CHAPTER = "03_serving_overlap"
# For each student of the chapter, which of the recorded answers to each TODO: right or wrong, and its place.
CHAPTER_STUDENTS = {
    "all-right": [("right", 1), ("right", 2), ("right", 0), ("right", 3)],
    "half-right": [("right", 0), ("wrong", 3), ("right", 4), ("wrong", 1)],
    "mostly-wrong": [("wrong", 0), ("wrong", 6), ("wrong", 5), ("right", 1)],
    "untouched": [],
}


@pytest.fixture(scope="session")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Golden:
    course = write_course(tmp_path_factory.mktemp("parity"))
    (course / "nbgrader_config.py").write_text(CONFIG)
    assignment = release(course, ASSIGNMENT)
    for student in STUDENTS:
        books = [b.name for b in assignment.notebooks if student in SENT_BY.get(b.name, STUDENTS)]
        send(course, assignment, student, answers(student, solutions()), books)
    return graded(course, assignment)


@pytest.fixture(scope="session")
def golden_chapter(tmp_path_factory: pytest.TempPathFactory) -> Golden:
    course = tmp_path_factory.mktemp("chapter")
    shutil.copytree(ROOT / "source" / CHAPTER, course / "source" / CHAPTER)
    own = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
    (course / "nbgrader_config.py").write_text(f"{own}\n{CONFIG}", encoding="utf-8")
    assignment = release(course, CHAPTER)
    for student, choices in CHAPTER_STUDENTS.items():
        texts = {}
        folders = sorted(path for path in (ROOT / "tests" / "answers" / CHAPTER).iterdir() if path.is_dir())
        for folder, (kind, place) in zip(folders, choices, strict=False):
            files = sorted((folder / kind).glob("*.py"))
            texts[folder.name] = files[place % len(files)].read_text(encoding="utf-8")
        send(course, assignment, student, texts, [book.name for book in assignment.notebooks])
    return graded(course, assignment)
