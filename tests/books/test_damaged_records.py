"""A side file that is damaged or another version's stops nobody else, and no decision is lost in silence."""

import json
from pathlib import Path

import pytest

from autograde.__main__ import main
from autograde.commands.grade import grade_course
from autograde.layout import CourseLayout
from autograde.outcome import Status
from autograde.standing import read_standings
from tests.books import course

UNJUDGED = "def double(x):\n    return 1  # REVIEW"
DAMAGES = {
    "broken": lambda text: text[: len(text) // 2],
    "another thing": lambda text: "[]",
    "a key is missing": lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != "key"}),
    "the result is missing": lambda text: '{"schema": 1}',
    "a score is a word": lambda text: text.replace('"max_score": 10.0', '"max_score": "ten"'),
    "a strange outcome": lambda text: text.replace('"needs_review"', '"wonderful"'),
}


def grade(root: Path) -> dict:
    graded = grade_course(CourseLayout.of(root), course.ASSIGNMENT, course.FakeExecutor)
    return {each.result.student_id: each for each in graded}


@pytest.fixture
def settled(root: Path) -> Path:
    """Two students; what could not be judged in ann's work was settled by hand."""
    course.submit(root, "ann", UNJUDGED)
    course.submit(root, "bob")
    grade(root)
    assert main(["resolve", "ann", course.ASSIGNMENT, "--course", str(root), "--rest", "2"]) == 0
    return root


def side_file(root: Path) -> Path:
    return root / "autograded" / "ann" / course.ASSIGNMENT / ".autograde.json"


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_record_is_put_aside_and_said(settled, damage):
    text = side_file(settled).read_text()
    damaged = DAMAGES[damage](text)
    assert damaged != text
    side_file(settled).write_text(damaged)
    graded = grade(settled)
    assert graded["bob"].reused
    assert "damaged and is now .autograde.json.damaged" in graded["ann"].result.notes[0]
    assert side_file(settled).with_name(".autograde.json.damaged").read_text() == damaged
    again = grade(settled)["ann"]
    assert again.reused
    assert again.result.notes == graded["ann"].result.notes


def test_a_second_damaged_record_does_not_replace_the_first(settled):
    for text in ("first", "second"):
        side_file(settled).write_text(text)
        grade(settled)
    kept = sorted(path.name for path in side_file(settled).parent.glob(".autograde.json.*"))
    assert kept == [".autograde.json.damaged", ".autograde.json.damaged-2"]


def test_what_another_version_wrote_is_left_alone_and_concerns_one_student(settled):
    text = side_file(settled).read_text().replace('"schema": 1', '"schema": 99')
    side_file(settled).write_text(text)
    course.submit(settled, "bob", course.WRONG)
    graded = grade(settled)
    assert graded["ann"].result.status is Status.INFRASTRUCTURE_ERROR
    assert "another version of this grader" in graded["ann"].result.notes[0]
    assert graded["bob"].result.score == 0.0
    assert side_file(settled).read_text() == text


@pytest.mark.parametrize("content", ["[]", '{"schema": 99}'])
def test_pages_show_no_score_of_a_record_that_cannot_be_used(settled, content):
    side_file(settled).write_text(content)
    _, standings = read_standings(CourseLayout.of(settled), course.ASSIGNMENT, None)
    ann, bob = sorted(standings, key=lambda standing: standing.student.id)
    assert (ann.status, ann.score) == (Status.INFRASTRUCTURE_ERROR, None)
    assert bob.score == 5.0
    for command in ("feedback", "report"):
        assert main([command, course.ASSIGNMENT, "--course", str(settled)]) == 0
    assert ".autograde.json" in (settled / "report" / course.ASSIGNMENT / "index.html").read_text()


@pytest.mark.parametrize("content", ["[]", '{"schema": 99}'])
def test_resolve_says_so_in_one_line(settled, content, capsys):
    side_file(settled).write_text(content)
    capsys.readouterr()
    assert main(["resolve", "ann", course.ASSIGNMENT, "--course", str(settled)]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert ".autograde.json" in lines[0]
