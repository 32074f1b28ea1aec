"""Reading what students sent: names, limits, links, time stamps."""

import os
from datetime import datetime
from pathlib import Path

import pytest

from autograde.course import find_submissions, submitted, submitted_students
from autograde.errors import CourseError


def send(course: Path, student: str, files: dict[str, bytes]) -> Path:
    folder = course / "submitted" / student / "hw"
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def only(course: Path):
    (submission,) = find_submissions(course, "hw")
    return submission


def test_students_in_order_with_their_files(tmp_path: Path) -> None:
    send(tmp_path, "zoe", {"b.ipynb": b"1", "d/x.csv": b"2"})
    send(tmp_path, "李雷", {})
    (tmp_path / "submitted" / "no-homework").mkdir()
    (tmp_path / "submitted" / "stray.txt").write_text("")
    found = list(find_submissions(tmp_path, "hw"))
    assert [s.student_id for s in found] == ["zoe", "李雷"]
    assert submitted_students(tmp_path, "hw") == ["zoe", "李雷"]
    assert found[0].files == {"b.ipynb": b"1", "d/x.csv": b"2"}
    assert (found[1].files, found[1].refused, found[1].timestamp) == ({}, {}, None)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may read less")
def test_a_folder_that_may_not_be_entered_stops_nobody(tmp_path: Path) -> None:
    send(tmp_path, "ann", {"b.ipynb": b"1"})
    send(tmp_path, "bob", {"b.ipynb": b"2"}).parent.chmod(0)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    os.seteuid(65534)
    try:
        found = list(find_submissions(tmp_path, "hw"))
    finally:
        os.seteuid(0)
    assert [s.student_id for s in found] == ["ann", "bob"] and found[0].files
    assert found[1].refused == {".": "the student's folder cannot be read (Permission denied)"}


def test_a_choice_of_students(tmp_path: Path) -> None:
    for student in ("a", "b", "c"):
        send(tmp_path, student, {})
    assert [s.student_id for s in find_submissions(tmp_path, "hw", ["c", "a"])] == ["a", "c"]
    with pytest.raises(CourseError, match="no submission of x, y for hw"):
        list(find_submissions(tmp_path, "hw", ["y", "a", "x"]))


def test_no_submissions_at_all(tmp_path: Path) -> None:
    assert list(find_submissions(tmp_path, "hw")) == []


def test_the_courses_own_folders(tmp_path: Path) -> None:
    layout = "{nbgrader_step}/{assignment_id}/s-{student_id}"
    (tmp_path / "nbgrader_config.py").write_text(
        f"get_config().CourseDirectory.directory_structure = {layout!r}"
    )
    folder = tmp_path / "submitted" / "hw" / "s-ann"
    folder.mkdir(parents=True)
    (folder / "b.ipynb").write_bytes(b"1")
    assert (only(tmp_path).student_id, only(tmp_path).files) == ("ann", {"b.ipynb": b"1"})


def test_links_and_special_files_are_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "solution.ipynb").write_text("42")
    folder = send(tmp_path, "eve", {"ok.txt": b"1"})
    (folder / "b.ipynb").symlink_to(secret / "solution.ipynb")
    (folder / "dir").symlink_to(secret)
    (folder / "dangling").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.ipynb")
    found = only(tmp_path)
    assert found.files == {"ok.txt": b"1"}
    assert found.refused == {
        "b.ipynb": "it is a symbolic link",
        "dir": "it is a symbolic link",
        "dangling": "it is a symbolic link",
        "pipe.ipynb": "it is not a regular file",
    }


def test_a_link_in_place_of_the_students_folder_is_not_followed(tmp_path: Path) -> None:
    other = send(tmp_path, "ann", {"b.ipynb": b"work of ann"})
    (tmp_path / "submitted" / "eve").mkdir()
    (tmp_path / "submitted" / "eve" / "hw").symlink_to(other)
    found = {s.student_id: s for s in find_submissions(tmp_path, "hw")}
    assert found["eve"].files == {}
    assert found["eve"].refused == {".": "the student's folder is a symbolic link"}


def test_odd_names_are_refused(tmp_path: Path) -> None:
    folder = send(tmp_path, "eve", {"a\nb.ipynb": b"1", "c\\d.ipynb": b"2", "‮e.ipynb": b"3"})
    (os.fsencode(folder) and open(os.fsencode(folder) + b"/\xff.ipynb", "wb")).close()  # noqa: PTH123, SIM115
    found = only(tmp_path)
    assert found.files == {}
    assert set(found.refused) == {"'a\\nb.ipynb'", "'c\\\\d.ipynb'", "'\\u202ee.ipynb'", "'\\udcff.ipynb'"}
    assert all("characters" in reason for reason in found.refused.values())


def test_size_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submitted, "MAX_FILE_BYTES", 2**20)
    monkeypatch.setattr(submitted, "MAX_TOTAL_BYTES", 2**21)
    mib = bytes(2**20)
    send(tmp_path, "big", {"a.bin": mib, "b.bin": mib, "c.bin": mib + b"1", "z.ipynb": b"{}"})
    found = only(tmp_path)
    assert list(found.files) == ["z.ipynb", "a.bin"]
    assert found.refused == {
        "b.bin": "the submission is larger than 2 MiB",
        "c.bin": "it is larger than 1 MiB",
    }


def test_a_sparse_file_of_200_mb_is_not_read(tmp_path: Path) -> None:
    folder = send(tmp_path, "big", {})
    with (folder / "b.ipynb").open("wb") as stream:
        stream.truncate(200 * 10**6)
    assert only(tmp_path).refused == {"b.ipynb": "it is larger than 64 MiB"}


def test_many_files_do_not_crowd_out_the_notebook(tmp_path: Path) -> None:
    send(tmp_path, "big", {f"data/{k:04}.txt": b"" for k in range(600)} | {"z.ipynb": b"{}"})
    found = only(tmp_path)
    assert "z.ipynb" in found.files
    assert len(found.files) == submitted.MAX_FILES
    assert len(found.refused) == 101


def test_deep_folders_and_clutter(tmp_path: Path) -> None:
    clutter = {
        "__pycache__/a.pyc": b"",
        ".git/config": b"",
        "__MACOSX/._b.ipynb": b"",
        ".DS_Store": b"",
        "m.pyc": b"",
    }
    send(tmp_path, "deep", clutter | {"/".join("d" * 40) + "/x": b"1", "b.ipynb": b"2"})
    found = only(tmp_path)
    assert found.files == {"b.ipynb": b"2"}
    assert list(found.refused.values()) == ["it lies more than 12 folders deep"]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01 10:00:00 UTC", datetime(2026, 3, 1, 10)),
        ("2026-03-01 10:00:00.5 +0200", datetime(2026, 3, 1, 8, 0, 0, 500000)),
        ("2026-03-01 10:00:00 Asia/Shanghai", datetime(2026, 3, 1, 2)),
        ("\ufeff2026-03-01T10:00:00+08:00\n", datetime(2026, 3, 1, 2)),
        ("2026-03-01 10:00:00 UTC".ljust(64) + "1" * 5000, datetime(2026, 3, 1, 10)),  # the rest is not read
    ],
)
def test_timestamps(tmp_path: Path, text: str, moment: datetime) -> None:
    send(tmp_path, "ann", {"timestamp.txt": text.encode()})
    found = only(tmp_path)
    assert (found.timestamp, found.timestamp_problem, found.files) == (moment, "", {})


@pytest.mark.parametrize(
    "content",
    [
        b"yesterday",
        b"",
        b"\xff\xfe\0",
        b"2026-13-45 99:99",
        b"9" * 5000,
        b"1 2 3 4",
        b"a b c",
        b"\0",
        b"9" * 40 + b"h",
    ],
)
def test_time_stamps_that_are_none(tmp_path: Path, content: bytes) -> None:
    send(tmp_path, "ann", {"timestamp.txt": content, "b.ipynb": b"1"})
    found = only(tmp_path)
    assert found.timestamp is None
    assert found.timestamp_problem.startswith("timestamp.txt")
    assert found.timestamp_problem.isprintable()
    assert found.files == {"b.ipynb": b"1"}


def test_fingerprint_is_the_work_and_not_the_time(tmp_path: Path) -> None:
    send(tmp_path, "a", {"b.ipynb": b"1", "timestamp.txt": b"2026-03-01 10:00:00 UTC"})
    send(tmp_path, "b", {"b.ipynb": b"1"})
    send(tmp_path, "c", {"b.ipynb": b"2"})
    a, b, c = (s.fingerprint for s in find_submissions(tmp_path, "hw"))
    assert a == b
    assert b != c


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    send(tmp_path, "ann", {"sub/b.ipynb": b"1"})
    scan = os.scandir

    def refuse(path: object):
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert only(tmp_path).refused == {"sub/": "the folder cannot be read (Permission denied)"}
