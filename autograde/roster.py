"""A class list as CSV: ``id``, and if you like ``first_name``, ``last_name``, ``email``."""

import csv
import io
from pathlib import Path

from autograde.errors import UsageError
from autograde.gradebook import Student
from autograde.printable import is_name

COLUMNS = ("id", "first_name", "last_name", "email")
MAX_LENGTH = 128  # of nbgrader's columns


def read_roster(path: Path) -> list[Student]:
    """Read a roster; other columns are ignored, and spreadsheets' encodings are understood.

    Raises:
        UsageError: The file can't be read, or a line of it can't be used.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"roster {path}: {error.strerror}; name a CSV file") from error
    try:
        return _read(path, csv.DictReader(io.StringIO(_decode(content, path), newline=None)))
    except csv.Error as error:
        raise UsageError(f"roster {path}: {error}; save it as CSV in UTF-8") from error


def _read(path: Path, rows: "csv.DictReader[str]") -> list[Student]:
    names = [name.strip().lower() for name in rows.fieldnames or ()]
    if "id" not in names:
        raise UsageError(
            f"roster {path}: the first line must name the columns, with one called id: {COLUMNS}"
        )
    rows.fieldnames = names
    students: dict[str, Student] = {}
    for row in rows:
        values = {name: (row.get(name) or "").strip() for name in COLUMNS}
        where = f"roster {path}, line {rows.line_num}"
        if not any(values.values()):
            continue
        if (
            not values["id"]
            or "/" in values["id"]
            or values["id"].startswith(".")
            or not is_name(values["id"])
        ):
            raise UsageError(f"{where}: {values['id']!r} can't be a student's id: it names a folder")
        if values["id"] in students:
            raise UsageError(f"{where}: the id {values['id']} is there twice; keep one line")
        if any(len(value) > MAX_LENGTH for value in values.values()):
            raise UsageError(f"{where}: a value is longer than {MAX_LENGTH} characters; shorten it")
        students[values["id"]] = Student(**values)
    if not students:
        raise UsageError(f"roster {path} names no students")
    return list(students.values())


def _decode(content: bytes, path: Path) -> str:
    for encoding in ("utf-8-sig", "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "gb18030"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise UsageError(f"roster {path} is not text; save it as CSV in UTF-8")
