"""What the commands are told, and what they say in the end."""

import sqlite3
from pathlib import Path

import pytest

from autograde.__main__ import main
from autograde.assignment_notes import save_problems
from autograde.course import load_assignment
from tests.books import course
from tests.books.test_grading import sqlite_run

pytestmark = pytest.mark.usefixtures("fake_engine")


def run(root: Path, *words: str) -> int:
    return main([*words, "--course", str(root)])


def assignments(root: Path) -> list[str]:
    connection = sqlite3.connect(root / "gradebook.db")
    names = [name for (name,) in connection.execute("select name from assignment")]
    connection.close()
    return names


def test_a_slash_after_the_assignment_is_the_shells(root, capsys):
    course.submit(root, "ann")
    for words in (["grade"], ["feedback"], ["report"], ["resolve", "ann"]):
        assert run(root, *words, "hw1/") == 0
    assert assignments(root) == ["hw1"]
    assert "hw1: 1 submission: 1 graded" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["hw1/.", "./hw1", ".", "..", "../source/hw1", "", "/"])
@pytest.mark.parametrize("words", [["grade"], ["feedback"], ["report"], ["resolve", "ann"]])
def test_an_assignment_is_one_folders_name(root, capsys, words, name):
    course.submit(root, "ann")
    (root / "source" / "loose.ipynb").write_bytes((root / "source/hw1/alpha.ipynb").read_bytes())
    assert run(root, *words, name) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("autograde: no assignment ")
    assert lines[0].endswith("there are: hw1")
    assert not (root / "gradebook.db").exists()


def test_check_takes_the_same_names(root, capsys):
    notebook = str(course.submit(root, "ann") / "alpha.ipynb")
    for name in ("./hw1", "", "hw1/."):
        assert run(root, "check", notebook, "--assignment", name) == 2
        assert "there are: hw1" in capsys.readouterr().err


def test_json_makes_no_folders_and_refuses_before_anything_is_graded(root, capsys):
    course.submit(root, "ann")
    for path, problem in ((root / "no" / "x.json", f"no such folder {root}/no"), (root, "it is a folder")):
        assert run(root, "grade", "hw1", "--json", str(path)) == 2
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1
        assert problem in lines[0]
    assert not (root / "no").exists()
    assert not (root / "autograded").exists()


def test_the_summary_names_the_json(root, capsys):
    course.submit(root, "ann")
    path = root / "x.json"
    assert run(root, "grade", "hw1", "--json", str(path)) == 0
    assert f"outcomes: {path}" in capsys.readouterr().out.splitlines()
    assert path.is_file()


@pytest.mark.parametrize("folders", [None, "submitted", "submitted/ann", "submitted/ann/hw2"])
def test_where_nothing_is_submitted_it_says_where_it_looked(root, capsys, folders):
    if folders is not None:
        (root / folders).mkdir(parents=True)
    assert run(root, "grade", "hw1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["hw1: 0 submissions: none yet", f"looked in {root}/submitted/*/hw1"]


def test_where_it_looked_follows_the_courses_configuration(root, capsys):
    config = "get_config().CourseDirectory.submitted_directory = 'inbox'\n"
    (root / "nbgrader_config.py").write_text(config)
    run(root, "grade", "hw1")
    assert f"looked in {root}/inbox/*/hw1" in capsys.readouterr().out


def test_the_summary_counts_the_cells_that_a_person_must_grade(root, capsys):
    for student in ("ann", "bob"):
        course.submit(root, student)
    run(root, "grade", "hw1")
    assert "4 cells wait for manual grading (Formgrader)" in capsys.readouterr().out.splitlines()
    run(root, "grade", "hw1", "--student", "bob")
    assert "2 cells wait for manual grading (Formgrader)" in capsys.readouterr().out.splitlines()
    sqlite_run(root, "update grade set manual_score = 1 where auto_score is null")
    run(root, "grade", "hw1")
    assert "wait" not in capsys.readouterr().out


def test_a_fault_of_the_assignment_is_repeated_below_the_summary(root, capsys):
    fault = "alpha: test: the instructor's own solution does not get full marks"
    course.submit(root, "ann")
    run(root, "grade", "hw1")
    assert fault not in capsys.readouterr().out
    save_problems(root / "autograded", load_assignment(root, "hw1"), (fault,))
    run(root, "grade", "hw1")
    assert fault in capsys.readouterr().out.splitlines()
    course.write_source(root, course.source_books(points=8))  # what was wrong with another source/ is past
    run(root, "grade", "hw1")
    assert fault not in capsys.readouterr().out
