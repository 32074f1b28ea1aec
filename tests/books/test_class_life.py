"""A class over a term: roster, decisions by hand, what later gradings make of them."""

import sqlite3
from pathlib import Path

import pytest

from autograde.__main__ import main
from autograde.commands.grade import grade_course
from autograde.errors import UsageError
from autograde.layout import CourseLayout
from autograde.outcome import Status
from autograde.record import load
from autograde.roster import read_roster
from tests.books import course
from tests.books.dump import dump

UNJUDGED = "def double(x):\n    return 1  # REVIEW"


def grade(root: Path, **options) -> dict:
    graded = grade_course(CourseLayout.of(root), course.ASSIGNMENT, course.FakeExecutor, **options)
    return {each.result.student_id: each for each in graded}


def resolve(root: Path, *arguments: str) -> int:
    return main(["resolve", "ann", course.ASSIGNMENT, "--course", str(root), *arguments])


@pytest.fixture
def unjudged(root: Path) -> Path:
    course.submit(root, "ann", UNJUDGED)
    assert grade(root)["ann"].result.status is Status.NEEDS_REVIEW
    return root


def test_resolve_lists_what_is_undecided(unjudged, capsys):
    assert resolve(unjudged) == 1
    printed = capsys.readouterr().out
    assert "undecided: alpha/todo1-double-test-visible (of 2)" in printed
    assert "ann: needs_review, no score yet" in printed


def test_resolve_settles_and_a_regrade_of_the_same_files_keeps_it(unjudged, capsys):
    assert (
        resolve(unjudged, "--points", "todo1-double-test-visible=2", "--rest", "1", "--note", "by eye") == 0
    )
    assert "ann: graded, 3 of 10" in capsys.readouterr().out
    again = grade(unjudged, force=True)["ann"].result
    assert (again.status, again.score) == (Status.GRADED, 3.0)
    assert "settled by hand: todo1-double-test-visible earns 2 (by eye)" in again.notes
    rows = {row[1]: row[3:] for row in dump(unjudged / "gradebook.db")["grades"]}
    assert rows["todo1-double-test-visible"] == (None, 2.0, None, 0)  # nobody has to look again


def test_a_decision_survives_a_corrected_test_and_a_lost_gradebook(unjudged):
    resolve(unjudged, "--rest", "1")
    course.write_source(unjudged, course.source_books(points=8))
    (unjudged / "gradebook.db").unlink()
    assert grade(unjudged)["ann"].result.score == 2.0
    rows = {row[1]: row[3:] for row in dump(unjudged / "gradebook.db")["grades"]}
    assert rows["todo1-double-test-hidden"] == (None, 1.0, None, 0)


def test_a_decision_is_not_taken_over_to_other_files(unjudged, capsys):
    resolve(unjudged, "--rest", "1")
    course.submit(unjudged, "ann", UNJUDGED + " again")
    result = grade(unjudged)["ann"].result
    assert (result.status, result.score) == (Status.NEEDS_REVIEW, None)
    rows = {row[1]: row[3:] for row in dump(unjudged / "gradebook.db")["grades"]}
    assert rows["todo1-double-test-visible"] == (None, None, None, 1)
    resolve(unjudged)
    assert "ann: needs_review, no score yet" in capsys.readouterr().out


def test_a_decision_does_not_count_for_a_wrong_answer_sent_later(unjudged, capsys):
    resolve(unjudged, "--rest", "1")
    course.submit(unjudged, "ann", course.WRONG)
    assert grade(unjudged)["ann"].result.score == 0.0
    rows = {row[1]: row[3:] for row in dump(unjudged / "gradebook.db")["grades"]}
    assert rows["todo1-double-test-visible"] == (0.0, None, None, 0)
    course.submit(unjudged, "ann", UNJUDGED)
    assert grade(unjudged)["ann"].result.score == 2.0
    resolve(unjudged)
    assert "ann: graded, 2 of 10" in capsys.readouterr().out


def test_a_score_from_before_other_files_does_not_settle_them(unjudged, capsys):
    connection = sqlite3.connect(unjudged / "gradebook.db")
    with connection:
        connection.execute("UPDATE grade SET manual_score = 1, needs_manual_grade = 0")  # in Formgrader
    resolve(unjudged)
    assert "ann: graded" in capsys.readouterr().out
    course.submit(unjudged, "ann", UNJUDGED + " again")
    grade(unjudged)
    resolve(unjudged)
    assert "ann: needs_review, no score yet" in capsys.readouterr().out


def test_accept_lets_the_points_stand(root, capsys):
    folder = course.submit(root, "ann")
    (folder / "alpha.ipynb").write_text("no notebook")
    grade(root)
    assert resolve(root, "--accept") == 1  # tests without points are still undecided
    assert resolve(root, "--accept", "--rest", "0") == 0
    assert load(root / "autograded" / "ann" / "hw1").settled_result().status is Status.GRADED


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--points", "nothing=1"], "no undecided test of that name"),
        (["--points", "todo1-double-test-visible=99"], "has 2 points, 99 is more"),
    ],
)
def test_resolve_refuses_with_one_line(unjudged, capsys, arguments, message):
    assert resolve(unjudged, *arguments) == 2
    lines = capsys.readouterr().err.splitlines()
    assert message in lines[-1]


@pytest.mark.parametrize("arguments", [["--rest", "0"], ["--accept"], ["--accept", "--note", "fine"]])
def test_resolve_refuses_to_decide_what_is_decided(root, capsys, arguments):
    course.submit(root, "ann")
    grade(root)
    before = dump(root / "gradebook.db")
    capsys.readouterr()
    assert resolve(root, *arguments) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        f"autograde: {arguments[0]}: no test of ann is undecided in hw1; cells graded by hand: use Formgrader"
    ]
    assert dump(root / "gradebook.db") == before
    assert not load(root / "autograded" / "ann" / "hw1").accepted


def test_resolve_leaves_what_a_person_grades_to_formgrader(unjudged, capsys):
    resolve(unjudged)
    assert "graded by hand: beta/essay (of 4): use Formgrader" in capsys.readouterr().out.splitlines()
    assert resolve(unjudged, "--points", "essay=3") == 2
    assert "--points essay: it is graded by hand: use Formgrader" in capsys.readouterr().err
    assert resolve(unjudged, "--rest", "1") == 0
    assert resolve(unjudged) == 0  # what a person grades doesn't change the status
    assert "undecided" not in capsys.readouterr().out


@pytest.mark.parametrize("text", ["x", "=1", "a=-1", "a=nan", "a=inf"])
def test_resolve_refuses_points_that_are_none(unjudged, text):
    with pytest.raises(SystemExit) as stopped:
        resolve(unjudged, f"--points={text}")
    assert stopped.value.code == 2


def test_roster_reaches_the_gradebook_and_names_who_is_left_over(root, tmp_path, capsys):
    course.submit(root, "ann")
    course.submit(root, "stranger")
    grade(root)
    roster = tmp_path / "class.csv"
    roster.write_bytes(
        "ID,First_Name,last_name,email,room\nann,小安,李,ann@example.org,5\nbob,,,,\n".encode("gb18030")
    )
    assert main(["roster", str(roster), "--course", str(root)]) == 0
    printed = capsys.readouterr().out
    assert "2 students on the roster, 1 of them new" in printed
    assert "not on the roster: stranger" in printed
    assert ("ann", "小安", "李", "ann@example.org") in dump(root / "gradebook.db")["students"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\nann\n", "must name the columns"),
        ("id\nann\nann\n", "line 3: the id ann is there twice"),
        ("id\n../etc\n", "can't be a student's id"),
        ("id,email\n,a@b\n", "can't be a student's id"),
        (f"id\n{'a' * 200}\n", "longer than 128"),
        ("id\n", "names no students"),
    ],
)
def test_a_bad_roster_is_refused_with_one_line(tmp_path, text, message):
    path = tmp_path / "class.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_roster(path)


def test_a_roster_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        read_roster(tmp_path / "none.csv")
