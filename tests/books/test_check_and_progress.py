"""A student's self-check, and what the grader says while it works."""

import io
import re
from pathlib import Path

import pytest

from autograde.__main__ import main
from autograde.commands.check import visible_only
from autograde.course import load_assignment
from autograde.grading import Graded
from autograde.outcome import Status, SubmissionResult
from autograde.progress import Progress
from tests.books import course

HIDDEN_ONLY = "### BEGIN HIDDEN TESTS\nassert double(5) == 10\n### END HIDDEN TESTS"


@pytest.fixture
def submitted(root: Path) -> Path:
    books = course.source_books("assert double(21) == 42")
    secret = ("todo1-double-test-secret", {"grade": True, "locked": True, "points": 1})
    books["alpha"]["cells"].append(course.cell("code", HIDDEN_ONLY, secret[0], **secret[1]))
    course.write_source(root, books)
    answer = "def double(x):\n    return 2 * x if x < 20 else 0"
    return course.submit(root, "ann", answer, extra=[course.cell("code", "", secret[0], **secret[1])])


def test_check_judges_the_visible_tests_and_says_that_there_are_others(submitted, capsys):
    assert main(["check", str(submitted / "alpha.ipynb"), "--sandbox", "none"]) == 0
    printed = capsys.readouterr().out
    assert "✓ visible: 通过 · Passed" in printed
    assert "✓ hidden: 通过 · Passed" in printed  # its visible part holds
    assert "secret" not in printed
    assert "2 more checks run only when you are graded" in printed


def test_the_assignment_of_a_check_holds_nothing_hidden(submitted):
    assignment, hidden = visible_only(load_assignment(submitted.parents[2], "hw1"), "alpha")
    text = "".join(cell.source for book in assignment.notebooks for cell in book.cells)
    assert "double(21)" not in text
    assert "double(5)" not in text
    assert hidden == 2
    assert assignment.max_score == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check", "nothing.ipynb"], "nothing.ipynb: No such file"),
        (["check", "{folder}/strange.ipynb"], "hw1 has no notebook strange.ipynb"),
        (["check", "{folder}/strange.ipynb", "--assignment", "hw1"], "has no notebook strange.ipynb"),
    ],
)
def test_check_refuses_with_one_line(submitted, capsys, words, message):
    (submitted / "strange.ipynb").write_bytes((submitted / "alpha.ipynb").read_bytes())
    assert main([word.format(folder=submitted) for word in words]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert message in lines[0]


def test_check_outside_a_course(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    course.write(tmp_path / "a.ipynb", course.source_books()["alpha"])
    assert main(["check", "a.ipynb"]) == 2
    assert "lies in no course" in capsys.readouterr().err


@pytest.mark.parametrize("course_words", [[], ["--course", "."]])
def test_check_finds_the_notebook_of_a_course_with_other_folders(root, capsys, monkeypatch, course_words):
    (root / "source").rename(root / "masters")
    config = "get_config().CourseDirectory.source_directory = 'masters'\n"
    (root / "nbgrader_config.py").write_text(config)
    folder = course.submit(root, "ann")
    monkeypatch.chdir(root)
    notebook = str((folder / "alpha.ipynb").relative_to(root))
    assert main(["check", notebook, "--sandbox", "none", *course_words]) == 0
    assert "✓ visible" in capsys.readouterr().out


def test_a_course_that_is_named_counts_even_if_it_is_this_folder(
    submitted, tmp_path_factory, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path_factory.mktemp("empty"))
    assert main(["check", str(submitted / "alpha.ipynb"), "--course", "."]) == 2
    assert ". holds no assignments" in capsys.readouterr().err


def test_a_notebooks_name_is_no_pattern(submitted, capsys):
    (submitted / "[a-z]lpha.ipynb").write_bytes((submitted / "alpha.ipynb").read_bytes())
    assert main(["check", str(submitted / "[a-z]lpha.ipynb")]) == 2
    assert "hw1 has no notebook [a-z]lpha.ipynb" in capsys.readouterr().err


def test_check_asks_which_assignment_where_there_are_more(submitted, capsys):
    (submitted.parents[2] / "source" / "hw2").mkdir()
    (submitted / "strange.ipynb").write_bytes((submitted / "alpha.ipynb").read_bytes())
    assert main(["check", str(submitted / "strange.ipynb")]) == 2
    assert "can't tell which assignment strange.ipynb belongs to" in capsys.readouterr().err


def test_the_only_assignment_with_one_notebook_needs_no_name(submitted, capsys):
    (submitted.parents[2] / "source" / "hw1" / "beta.ipynb").unlink()
    (submitted / "alpha (1).ipynb").write_bytes((submitted / "alpha.ipynb").read_bytes())
    assert main(["check", str(submitted / "alpha (1).ipynb"), "--sandbox", "none"]) == 0
    assert "✓ visible" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("alpha.py", "# %%\nimport math\n\nprint(math.pi)\n", "the file is a Python script, not a notebook"),
        ("alpha.ipynb", '{"cells": [', "the file ends in the middle (truncated)"),
        ("alpha.ipynb", "", "the file is empty"),
    ],
)
def test_what_is_no_notebook_gets_its_reason_and_nothing_else(submitted, capsys, name, content, reason):
    path = submitted / name
    path.write_text(content)
    assert main(["check", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.err == f"autograde: {path}: {reason}\n"
    assert printed.out == ""


def test_a_check_without_a_sandbox_doesnt_warn_you_of_yourself(submitted, capsys):
    assert main(["check", str(submitted / "alpha.ipynb"), "--sandbox", "none"]) == 0
    printed = capsys.readouterr()
    assert "· not sandboxed here (your own code)" in printed.out
    assert "could read and change files" not in printed.out + printed.err


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def outcome(student: str, status: Status, note: str = "") -> Graded:
    result = SubmissionResult(student, status, None, 1.0, 0.1, None, notes=(note,) if note else ())
    return Graded(result, None, reused=False, resubmitted=False)


def test_a_terminal_gets_a_bar_with_count_rate_time_left_and_trouble():
    stream = Terminal()
    with Progress(2, stream) as progress:
        progress.show(outcome("ann", Status.NEEDS_REVIEW, "the file is empty"))
        progress.show(outcome("bob", Status.GRADED))
    shown = stream.getvalue()
    assert "2/2" in shown
    assert re.search(r"\d(submission/s|s/submission)", shown)
    assert "<" in shown  # time so far < time left
    assert "1 in trouble" in shown
    assert "ann: needs_review: the file is empty" in shown


def test_elsewhere_plain_lines():
    stream = io.StringIO()
    with Progress(2, stream) as progress:
        progress.show(outcome("ann", Status.INFRASTRUCTURE_ERROR, "no memory"))
        progress.show(outcome("bob", Status.GRADED))
    lines = stream.getvalue().splitlines()
    assert lines[0] == "ann: infrastructure_error: no memory"
    assert lines[-1].startswith("2/2 submissions, ")
    assert lines[-1].endswith("1 in trouble")
    assert "\r" not in stream.getvalue()


def test_the_last_line_is_not_written_twice(monkeypatch):
    monkeypatch.setattr("autograde.progress.LINE_EVERY_S", 0.0)
    stream = io.StringIO()
    with Progress(1, stream) as progress:
        progress.show(outcome("ann", Status.GRADED))
    assert len(stream.getvalue().splitlines()) == 1


@pytest.mark.usefixtures("fake_engine")
def test_the_gradebook_can_lie_elsewhere(root, tmp_path_factory):
    course.submit(root, "ann")
    database = tmp_path_factory.mktemp("elsewhere") / "grades.db"
    assert main(["grade", "hw1", "--course", str(root), "--db", f"sqlite:///{database}"]) == 0
    assert database.is_file()
    assert not (root / "gradebook.db").exists()
