"""Read ``source/ASSIGNMENT``: every cell with its role, and the text that students received."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograde.course.config import course_directory, load_config
from autograde.course.model import Assignment, Role, SourceCell, SourceNotebook
from autograde.course.release import Release
from autograde.errors import CourseError

if TYPE_CHECKING:  # nbformat takes a second to import; who only needs the data classes must not wait
    from nbformat import NotebookNode


def load_assignment(course_dir: Path, name: str) -> Assignment:
    """Load an assignment from any nbgrader course.

    Old nbgrader metadata is upgraded as ``nbgrader update`` does. The released texts come from the
    preprocessors of ``nbgrader generate_assignment``, as ``nbgrader_config.py`` configures them.

    Args:
        course_dir: The folder that holds ``source/``.
        name: The assignment's folder under ``source/``.

    Raises:
        CourseError: If the course or the assignment is not there or cannot be used as it is.
    """
    config = load_config(course_dir)
    layout = course_directory(course_dir, config)
    folder = Path(layout.format_path(layout.source_directory, ".", name))
    # A path to the folder would open it too, and be another assignment to the gradebook.
    if name in ("", "..") or Path(name).name != name or not folder.is_dir():
        raise CourseError(_no_such_assignment(layout, name))
    paths = sorted(path for path in folder.glob("*.ipynb") if path.is_file())
    if not paths:
        raise CourseError(f"{folder} holds no notebook (*.ipynb); put the instructor's notebooks there")
    release = Release(config, layout, name)
    books = tuple(_load_notebook(_test_instantiated(path, layout, name), release) for path in paths)
    files = dict(_beside(folder, layout.ignore))
    return Assignment(name, books, files, _fingerprint(name, books, files))


def _no_such_assignment(layout: Any, name: str) -> str:
    root = Path(layout.format_path(layout.source_directory, ".", "")).resolve()
    there = sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
    if not there:
        return f"{layout.root} has no assignment: {root} holds no folder with notebooks"
    return f"no assignment {name!r} under {root}; there are: {', '.join(there)}"


def _test_instantiated(path: Path, layout: Any, name: str) -> Path:
    """Return where the notebook's tests are written out: AUTOTEST directives need a kernel to expand."""
    if b"AUTOTEST" not in path.read_bytes():
        return path
    expanded = Path(layout.format_path(layout.source_with_tests_directory, ".", name)) / path.name
    if not expanded.is_file():
        raise CourseError(
            f"{path} uses AUTOTEST directives, which only nbgrader expands; "
            f"run `nbgrader generate_assignment {name} --source_with_tests` first, which writes {expanded}"
        )
    return expanded


def _load_notebook(path: Path, release: Release) -> SourceNotebook:
    book, has_ids = _read(path)
    release.add_header_and_footer(book)
    _check_language(book, path)
    _upgrade_metadata(book, path)
    released = release.texts(book, path)
    cells = []
    for index, cell in enumerate(book.cells):
        text = released.get(index)
        own_id = has_ids and isinstance(cell.get("id"), str)
        cells.append(
            SourceCell(
                cell_id=cell["id"] if own_id else f"source-{index}",
                cell_type=cell.cell_type,
                role=_role(cell),
                source=cell.source,
                released=cell.source if text is None else text,
                grade_id=cell.metadata.get("nbgrader", {}).get("grade_id"),
                points=_points(cell),
                manual=_is_manual(cell),
                metadata=cell.metadata,
                in_release=text is not None,
                own_id=own_id,
            )
        )
    return SourceNotebook(path.stem, tuple(cells), book.metadata)


def _read(path: Path) -> "tuple[NotebookNode, bool]":
    """Return a notebook in nbformat 4, and whether its cells have ids of their own."""
    import nbformat
    from nbformat import NotebookNode
    from nbformat.v4.rwbase import rejoin_lines

    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise CourseError(f"{path} is not valid JSON ({error}); open and save it in Jupyter") from error
    if not isinstance(data, dict) or not isinstance(data.get("nbformat"), int):
        raise CourseError(f"{path} is not a notebook: it has no nbformat number")
    major, minor = data["nbformat"], data.get("nbformat_minor", 0)
    try:
        book = nbformat.reads(json.dumps(data), as_version=4) if major < 4 else nbformat.from_dict(data)
        book = rejoin_lines(book)
        for cell in book.cells:
            cell.setdefault("metadata", NotebookNode())
            if not isinstance(cell.source, str) or cell.cell_type not in ("code", "markdown", "raw"):
                raise TypeError("a cell has no text or an unknown type")
    except Exception as error:
        raise CourseError(
            f"{path} is not a usable notebook ({error}); open and save it in Jupyter"
        ) from error
    if major > 4:
        raise CourseError(f"{path} has nbformat {major}, which is newer than this program knows (4)")
    return book, (major, minor) >= (4, 5)


def _check_language(book: "NotebookNode", path: Path) -> None:
    spec = book.metadata.get("kernelspec", {})
    language = spec.get("language") or book.metadata.get("language_info", {}).get("name") or "python"
    if language.lower() not in ("python", "ipython", "python3"):
        raise CourseError(f"{path} is written in {language}; only Python notebooks can be graded")


def _upgrade_metadata(book: "NotebookNode", path: Path) -> None:
    from nbgrader.nbgraderformat import MetadataValidator

    validator = MetadataValidator()
    try:
        validator.upgrade_notebook_metadata(book)
        validator.validate_nb(book)
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CourseError(f"{path}: {reason}; correct the cell's nbgrader metadata in Jupyter") from error


def _role(cell: "NotebookNode") -> Role:
    meta = cell.metadata.get("nbgrader", {})
    if meta.get("task"):
        return Role.TASK
    if meta.get("grade") and (meta.get("solution") or cell.cell_type != "code"):
        return Role.GRADED_ANSWER
    if meta.get("grade"):
        return Role.TEST
    if meta.get("solution"):
        return Role.ANSWER
    return Role.GIVEN if cell.cell_type == "code" else Role.PROSE


def _points(cell: "NotebookNode") -> float:
    meta = cell.metadata.get("nbgrader", {})
    return float(meta.get("points", 0.0)) if meta.get("grade") or meta.get("task") else 0.0


def _is_manual(cell: "NotebookNode") -> bool:
    """Tell whether nbgrader leaves the cell to a person (its `determine_grade` gives None)."""
    return _role(cell) in (Role.GRADED_ANSWER, Role.TASK)


def _beside(folder: Path, ignore: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield what lies beside the notebooks, by the rules of nbgrader's `find_all_files`."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        ignored = any(fnmatch(part, pattern) for part in parts for pattern in [*ignore, "*.ipynb"])
        if path.is_file() and not ignored:
            yield "/".join(parts), path.read_bytes()


def _fingerprint(name: str, books: tuple[SourceNotebook, ...], files: Mapping[str, bytes]) -> str:
    cells = [
        (book.name, c.cell_id, c.cell_type, c.role, c.source, c.released, c.grade_id, c.points, c.in_release)
        for book in books
        for c in book.cells
    ]
    digest = hashlib.sha256(json.dumps([name, cells]).encode())
    for path, content in sorted(files.items()):
        digest.update(json.dumps([path, hashlib.sha256(content).hexdigest()]).encode())
    return digest.hexdigest()
