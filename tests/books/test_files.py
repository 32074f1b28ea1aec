"""Files, locks and gradebooks when something goes wrong: nothing half, nothing left behind, one line."""

import doctest
import errno
import fcntl
import json
import os
import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

from autograde.__main__ import main
from autograde.atomic import write_atomic
from autograde.errors import InfrastructureError
from autograde.gradebook import Gradebook, database
from autograde.lock import course_lock
from tests.books import course


def test_two_writers_at_once_leave_one_whole_file(tmp_path):
    contents = [bytes([letter]) * 200_000 for letter in b"ab"]

    def write(content: bytes) -> None:
        for _ in range(50):
            write_atomic(tmp_path / "page.html", content)

    failures: list[BaseException] = []
    threads = [
        threading.Thread(target=lambda c=content: _collect(failures, write, c)) for content in contents
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert (tmp_path / "page.html").read_bytes() in contents
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def _collect(failures: list[BaseException], call, *arguments) -> None:
    try:
        call(*arguments)
    except BaseException as error:
        failures.append(error)


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    (tmp_path / "page.html").write_text("old")
    monkeypatch.setattr(Path, "replace", _no_space)
    with pytest.raises(OSError, match="No space"):
        write_atomic(tmp_path / "page.html", b"new")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def _no_space(*arguments):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_written_file_has_the_permissions_of_any_other(tmp_path):
    write_atomic(tmp_path / "page.html", b"")
    (tmp_path / "other.html").write_bytes(b"")
    assert (tmp_path / "page.html").stat().st_mode == (tmp_path / "other.html").stat().st_mode


def test_only_a_lock_that_is_held_means_another_grader(tmp_path, monkeypatch):
    def no_locks(*arguments):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "lockf", no_locks)
    with pytest.raises(InfrastructureError, match=r"can't be locked \(No locks"), course_lock(tmp_path):
        pytest.fail("the lock was taken")


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_batch_leaves_the_gradebook_as_nbgrader_wants_it(tmp_path, error):
    path = tmp_path / "gradebook.db"
    with Gradebook(f"sqlite:///{path}") as gradebook, pytest.raises(error), gradebook.batch():
        raise error
    connection = sqlite3.connect(path)
    assert connection.execute("pragma journal_mode").fetchone() == ("delete",)
    connection.close()


def test_a_password_is_never_printed(root, capsys):
    for url in (
        "postgresql+nothing://ann:s3cret@localhost/grades",
        "nonsense//ann:s3cret@localhost/grades",
    ):
        assert main(["feedback", "hw1", "--course", str(root), "--db", url]) in (2, 3)
        printed = capsys.readouterr().err
        assert len(printed.splitlines()) == 1
        assert "s3cret" not in printed


def test_examples_in_docstrings():
    result = doctest.testmod(database)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.usefixtures("fake_engine")
@pytest.mark.parametrize(
    ("command", "blocked"),
    [("grade", "autograded"), ("feedback", "feedback"), ("report", "report"), ("grade", "autograded/ann")],
)
def test_a_file_where_a_folder_should_be_is_one_line(root, capsys, command, blocked):
    course.submit(root, "ann")
    if command != "grade":
        assert main(["grade", course.ASSIGNMENT, "--course", str(root)]) == 0
    (root / blocked).parent.mkdir(exist_ok=True)
    (root / blocked).write_text("not a folder")
    capsys.readouterr()
    assert main([command, course.ASSIGNMENT, "--course", str(root)]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert f"{root / blocked}" in lines[0]
    assert "can't be written" in lines[0]


@pytest.mark.usefixtures("fake_engine")
def test_a_full_disk_while_a_record_is_saved_is_one_line(root, capsys, monkeypatch):
    course.submit(root, "ann")
    monkeypatch.setattr("autograde.record.write_atomic", _no_space)
    assert main(["grade", course.ASSIGNMENT, "--course", str(root)]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert "No space left on device" in lines[-1]
    assert not any("Traceback" in line for line in lines)


@pytest.mark.parametrize("name", [b"bob\xff", b"bob\x1b[2K", b"bob\nann: graded"])
def test_a_folder_whose_name_can_be_no_id_stops_nobody(root, fake_engine, capsys, name):
    for student in ("ann", "zoe"):
        course.submit(root, student)
    source, target = (os.path.join(os.fsencode(root / "submitted"), each) for each in (b"ann", name))  # noqa: PTH118
    shutil.copytree(source, target)
    assert main(["grade", "hw1", "--course", str(root), "--json", str(root / "out.json")]) == 3
    said = capsys.readouterr()
    assert "2 graded" in said.out
    assert "rename the folder" in said.err and all(line.isprintable() for line in said.err.splitlines())
    statuses = [each["status"] for each in json.loads((root / "out.json").read_bytes())["submissions"]]
    assert sorted(statuses) == ["graded", "graded", "infrastructure_error"]
    for command in ("feedback", "report"):
        assert main([command, "hw1", "--course", str(root)]) == 0
    assert b"\x1b" not in (root / "report" / "hw1" / "scores.csv").read_bytes()


def test_a_roster_of_old_line_ends_is_read_and_one_that_is_no_csv_refused(root, tmp_path, capsys):
    roster = tmp_path / "class.csv"
    roster.write_bytes(b"id,first_name\rann,Ann\rbob,Bob\r")
    assert main(["roster", str(roster), "--course", str(root)]) == 0
    assert "2 students" in capsys.readouterr().out
    for content in (b'id\n"' + b"a" * 140_000, b'id\n"ann\x1b[2K"\n', b'id\n"ann\nbob"\n'):
        roster.write_bytes(content)
        assert main(["roster", str(roster), "--course", str(root)]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
