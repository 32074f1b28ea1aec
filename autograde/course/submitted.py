"""Read what students sent, as bytes, with limits and without following links."""

import hashlib
import os
import re
import stat
import warnings
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path

from autograde.course.config import course_directory, load_config
from autograde.course.model import Submission
from autograde.errors import CourseError

MAX_FILE_BYTES = 64 * 2**20
MAX_TOTAL_BYTES = 128 * 2**20
MAX_FILES = 500
_MAX_DEPTH = 12
_MAX_TIMESTAMP_BYTES = 64
_TIMESTAMP = "timestamp.txt"
# Left behind by editors, version control and operating systems; never part of the work.
_CLUTTER = frozenset(
    {
        ".ipynb_checkpoints", "__pycache__", "__MACOSX", ".git", ".venv", ".vscode", ".idea", "node_modules",
        ".DS_Store", "Thumbs.db", "desktop.ini", ".pytest_cache", ".mypy_cache",
    }
)  # fmt: skip
_CHECKPOINTS = ".ipynb_checkpoints"


def find_submissions(
    course_dir: Path, name: str, students: Collection[str] | None = None
) -> Iterator[Submission]:
    """Yield what students sent for an assignment, ordered by student.

    Args:
        course_dir: The folder that holds ``submitted/``.
        name: The assignment's folder.
        students: Only these students; None for all.

    Raises:
        CourseError: If a student in `students` has sent nothing; nothing is yielded then.
    """
    layout = course_directory(course_dir, load_config(course_dir))
    folders = dict(student_folders(layout.format_path(layout.submitted_directory, "*", name)))
    if students is not None:
        absent = sorted(set(students) - folders.keys())
        if absent:
            where = layout.format_path(layout.submitted_directory, absent[0], name)
            raise CourseError(f"no submission of {', '.join(absent)} for {name}: there is no folder {where}")
        folders = {student: folders[student] for student in folders if student in students}
    for student, folder in sorted(folders.items()):
        yield read_submission(student, folder)


def submitted_students(course_dir: Path, name: str) -> list[str]:
    """Return the ids of the students who have sent something for an assignment, without reading it."""
    layout = course_directory(course_dir, load_config(course_dir))
    pattern = layout.format_path(layout.submitted_directory, "*", name)
    return sorted(student for student, _ in student_folders(pattern))


def student_folders(pattern: str) -> Iterator[tuple[str, Path]]:
    """Yield student and folder for a path in which ``*`` stands for the student, in no order."""
    before, _, after = pattern.partition("*")
    root, _, prefix = before.rpartition(os.sep)
    suffix, _, rest = after.partition(os.sep)
    shape = re.compile(re.escape(prefix) + r"(.+)" + re.escape(suffix), re.DOTALL)
    if not Path(root).is_dir():
        return
    for entry in os.scandir(root):
        match = shape.fullmatch(entry.name)
        if match and _may_be_folder(Path(entry.path) / rest):
            yield match[1], Path(entry.path) / rest


def _may_be_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except PermissionError:
        return True  # reading it will say what is wrong


def read_submission(student_id: str, folder: Path) -> Submission:
    """Read one student's folder.

    Files that are too large, too many, not regular or oddly named are not read but named in `refused`.
    Symbolic links are never followed.
    """
    files: dict[str, bytes] = {}
    refused: dict[str, str] = {}
    total = 0
    try:
        if folder.is_symlink() or folder.parent.is_symlink():
            refused["."] = "the student's folder is a symbolic link"
    except OSError as error:
        refused["."] = f"the student's folder cannot be read ({error.strerror})"
    if refused:
        return Submission(student_id, files, refused, None, "", _fingerprint(files, refused))
    # Notebooks first: whatever else fills the folder must not crowd them out.
    entries = sorted(_walk(folder, "", refused), key=lambda e: (not _is_notebook(e[0]), e[0]))
    for path, entry in entries:
        if len(files) >= MAX_FILES:
            refused[path] = f"one of more than {MAX_FILES} files"
            continue
        content = _read_file(entry, path, refused)
        if content is None:
            continue
        if total + len(content) > MAX_TOTAL_BYTES:
            refused[path] = f"the submission is larger than {MAX_TOTAL_BYTES // 2**20} MiB"
            continue
        total += len(content)
        files[path] = content
    timestamp, problem = _timestamp(files.pop(_TIMESTAMP, None), refused.pop(_TIMESTAMP, ""))
    return Submission(student_id, files, refused, timestamp, problem, _fingerprint(files, refused))


def _is_notebook(path: str) -> bool:
    return ".ipynb" in path.lower()


def _walk(folder: Path, prefix: str, refused: dict[str, str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        refused[prefix or "."] = f"the folder cannot be read ({error.strerror})"
        return
    for entry in entries:
        path = prefix + entry.name
        if _odd_name(entry.name):
            refused[ascii(path)] = "its name holds characters that no file should have"
        elif entry.is_symlink():
            refused[path] = "it is a symbolic link"
        elif entry.is_dir(follow_symlinks=False):
            if entry.name in _CLUTTER and entry.name != _CHECKPOINTS:
                continue
            if path.count("/") >= _MAX_DEPTH:
                refused[path] = f"it lies more than {_MAX_DEPTH} folders deep"
                continue
            yield from _walk(Path(entry.path), path + "/", refused)
        elif entry.name not in _CLUTTER and not entry.name.endswith(".pyc"):
            yield path, entry


def _odd_name(name: str) -> bool:
    return not name.isprintable() or "\\" in name or len(name.encode("utf-8", "surrogateescape")) > 255


def _read_file(entry: os.DirEntry[str], path: str, refused: dict[str, str]) -> bytes | None:
    """Return a regular file's content, or note why it is not read."""
    try:
        descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        refused[path] = f"it cannot be opened ({error.strerror})"
        return None
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            refused[path] = "it is not a regular file"
            return None
        try:
            content = stream.read(MAX_FILE_BYTES + 1) if status.st_size <= MAX_FILE_BYTES else None
        except OSError as error:
            refused[path] = f"it cannot be read ({error.strerror})"
            return None
    if content is None or len(content) > MAX_FILE_BYTES:
        refused[path] = f"it is larger than {MAX_FILE_BYTES // 2**20} MiB"
        return None
    return content


def _timestamp(content: bytes | None, refusal: str) -> tuple[datetime | None, str]:
    """Return nbgrader's reading of ``timestamp.txt`` (UTC, naive), or what is wrong with it."""
    if refusal:
        return None, f"{_TIMESTAMP} was not read: {refusal}"
    if content is None:
        return None, ""
    from nbgrader.utils import parse_utc

    text = content[:_MAX_TIMESTAMP_BYTES].decode("utf-8-sig", "replace").strip()
    if not text:
        return None, f"{_TIMESTAMP} is empty"
    # Nbgrader takes a lone "+0800" for 800 seconds; written without the blank it is read right.
    text = re.sub(r" ([+-]\d\d:?\d\d)$", r"\1", text)
    try:
        with warnings.catch_warnings(action="ignore"):  # dateutil warns about time zones it doesn't know
            moment = parse_utc(text)
    except Exception:  # the parser lets its own calculations' errors through, of many classes
        moment = None
    if not isinstance(moment, datetime):
        return None, f"{_TIMESTAMP} does not hold a date: {text[:40]!r}"
    return moment, ""


def _fingerprint(files: dict[str, bytes], refused: dict[str, str]) -> str:
    digest = hashlib.sha256()
    for path, content in sorted(files.items()):
        digest.update(f"{len(path)}:{path}:{hashlib.sha256(content).hexdigest()}\n".encode())
    for path, reason in sorted(refused.items()):
        digest.update(f"{len(path)}:{path}!{reason}\n".encode())
    return digest.hexdigest()
