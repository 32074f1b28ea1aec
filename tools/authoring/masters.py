"""Read a chapter's masters: text files in, instructor notebooks out.

A master is a ``py:percent`` file. Each cell's header says what the cell is:

===============================  ======================================================================
``key="x" lang="zh"``            one half of a prose pair; ``edition="solution"`` keeps it out of release,
                                 ``edition="release"`` out of the solutions
``key="x"``                      plain code
``key="x" helpers=[...]``        the set-up cell: the build writes its code around these files
``key="x" parameters=true``      plain code that papermill may override
``key="x" header=true``          the header table, from ``chapter.toml``
``key="x" badges=true``          badges of the cloud platforms, if a repository is set
``grade_id="x" solution=true``   an answer cell
``grade_id="x" points=5``        a test cell
``grade_id="x" locked=true``     a given cell that students may not edit
===============================  ======================================================================
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode

from tools.authoring import boilerplate

LANGUAGES = ("zh", "en")
_KNOWN = {
    "key", "lang", "edition", "helpers", "header", "parameters", "badges", "grade_id", "solution", "points",
    "locked",
}  # fmt: skip
_KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_EDITIONS = ("solution", "release")
_REGIONS = {"SOLUTION": "solution", "HIDDEN TESTS": "points"}  # marker -> the setting its cell must have
_NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class MasterError(ValueError):
    """A master cannot be built; the text says which file, which cell, and what to do."""


@dataclass(frozen=True)
class Chapter:
    """A chapter's folder and what ``chapter.toml`` says of it."""

    folder: Path
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """The folder's name, which is also the assignment's."""
        return self.folder.name

    def notebook(self, name: str) -> dict[str, Any]:
        """Return the settings of one notebook."""
        return next(entry for entry in self.settings["notebook"] if entry["name"] == name)

    def graded(self) -> list[str]:
        """Return the names of the notebooks that nbgrader manages."""
        return [entry["name"] for entry in self.settings["notebook"] if entry["graded"]]

    def edition(self, name: str, language: str) -> str:
        """Return where the edition for readers lies, relative to the repository's root."""
        if self.notebook(name)["graded"]:
            return f"release/{language}/{self.name}/{name}.ipynb"
        return f"notebooks/{self.name}/{name}.{language}.ipynb"

    def ungraded(self) -> list[str]:
        """Return the names of the other notebooks."""
        return [entry["name"] for entry in self.settings["notebook"] if not entry["graded"]]


def read_chapters(root: Path) -> list[Chapter]:
    """Return the chapters below ``notebooks/``, in reading order."""
    chapters = []
    for path in sorted((root / "notebooks").glob("*/chapter.toml")):
        try:
            chapters.append(Chapter(path.parent, tomllib.loads(path.read_text(encoding="utf-8"))))
        except tomllib.TOMLDecodeError as problem:
            raise MasterError(f"{path}: {problem}") from None
    return chapters


def read_repository(root: Path) -> str:
    """Return ``OWNER/REPO/BRANCH`` from ``pyproject.toml``, or "" while it is unset."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    repository = settings["tool"]["course"]["repository"]
    if repository and not re.fullmatch(r"[\w.-]+/[\w.-]+/[\w./-]+", repository):
        raise MasterError(
            f"pyproject.toml: [tool.course] repository is {repository!r}, not OWNER/REPO/BRANCH"
        )
    return str(repository)


def read_master(root: Path, chapter: Chapter, name: str) -> NotebookNode:
    """Build the instructor edition of one notebook, with the prose of both languages.

    Args:
        root: The repository's root: helpers are read from there.
        chapter: The chapter.
        name: The notebook's name, without extension.

    Returns:
        An nbformat 4.5 notebook without outputs, with deterministic cell ids.

    Raises:
        MasterError: If the master breaks a rule of this module's table.
    """
    path = chapter.folder / f"{name}.py"
    text = jupytext.read(path, fmt="py:percent")
    points = sum(cell.metadata.get("points", 0) for cell in text.cells if _is_points(cell))
    cells: list[NotebookNode] = []
    for cell in text.cells:
        cell.metadata.pop("lines_to_next_cell", None)  # jupytext's own note on blank lines
        try:
            cells.extend(_build_cells(root, chapter, name, cell, points))
        except MasterError as problem:
            first = cell.source.strip().splitlines()[:1]
            raise MasterError(f"{path}: cell {dict(cell.metadata)} {first}: {problem}") from None
    ids = [cell.id for cell in cells]
    twice = sorted({cell_id for cell_id in ids if ids.count(cell_id) > 1})
    if twice:
        raise MasterError(f"{path}: these cell keys are used twice: {', '.join(twice)}")
    _require_pairs(path, cells)
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=_NOTEBOOK_METADATA)
    notebook.nbformat_minor = 5
    return notebook


def _build_cells(
    root: Path, chapter: Chapter, name: str, cell: NotebookNode, points: float
) -> list[NotebookNode]:
    settings = dict(cell.metadata)
    unknown = sorted(settings.keys() - _KNOWN)
    if unknown:
        raise MasterError(f"unknown setting {', '.join(unknown)}: known are {', '.join(sorted(_KNOWN))}")
    if "grade_id" in settings:
        graded = _graded_cell(cell, settings)
        _require_regions(cell.source, settings)
        return [graded]
    _require_regions(cell.source, settings)
    key = settings.get("key", "")
    if not _KEY.fullmatch(key):
        raise MasterError("each cell needs a key of lower-case letters, digits and hyphens")
    if cell.cell_type == "code":
        if "helpers" in settings:
            source = _set_up_code(root, settings["helpers"])
            folded = {"jupyter": {"source_hidden": True}, "cellView": "form"}
            return [nbformat.v4.new_code_cell(source, id=key, metadata={**folded, "tags": ["set-up"]})]
        tags = {"tags": ["parameters"]} if settings.get("parameters") else {}
        return [nbformat.v4.new_code_cell(cell.source, id=key, metadata=tags)]
    if settings.get("badges"):
        repository = read_repository(root)
        return [
            _prose(boilerplate.badges(repository, chapter.edition(name, language)), key, language)
            for language in LANGUAGES
            if repository
        ]
    if settings.get("header"):
        entry = chapter.notebook(name)
        return [
            _prose(boilerplate.header_table(entry, points, language), key, language) for language in LANGUAGES
        ]
    language = settings.get("lang")
    if language not in LANGUAGES:
        raise MasterError("a prose cell needs lang='zh' or lang='en', and a partner in the other language")
    edition = settings.get("edition")
    if edition not in (None, *_EDITIONS):
        raise MasterError(f"unknown edition {edition!r}: known are {', '.join(_EDITIONS)}")
    return [_prose(cell.source, key, language, edition)]


def _set_up_code(root: Path, helpers: object) -> str:
    if not isinstance(helpers, list) or not all(isinstance(name, str) for name in helpers):
        raise MasterError(f"helpers is {helpers!r}: give a list of paths")
    try:
        return boilerplate.set_up_code(root, helpers)
    except (OSError, ValueError) as problem:
        raise MasterError(f"helpers: {problem}") from None


def _is_points(cell: NotebookNode) -> bool:
    points = cell.metadata.get("points")
    return isinstance(points, int | float) and not isinstance(points, bool) and points > 0


def _require_regions(source: str, settings: dict[str, Any]) -> None:
    """Marked regions are closed, and lie where nbgrader will take them out."""
    for marker, setting in _REGIONS.items():
        edges = re.findall(rf"### (BEGIN|END) {marker}", source)
        if edges != ["BEGIN", "END"] * (len(edges) // 2):
            raise MasterError(f"each ### BEGIN {marker} needs its ### END {marker}")
        if edges and setting not in settings:
            raise MasterError(f"### BEGIN {marker} belongs into a cell with a grade_id and {setting}")


def _prose(source: str, key: str, language: str, edition: str | None = None) -> NotebookNode:
    tags = [language, edition] if edition else [language]
    return nbformat.v4.new_markdown_cell(source, id=f"{key}-{language}", metadata={"tags": tags})


def _graded_cell(cell: NotebookNode, settings: dict[str, Any]) -> NotebookNode:
    if "lang" in settings or "edition" in settings:
        raise MasterError("a cell with a grade_id is the same in both languages: it takes no lang")
    if not _KEY.fullmatch(str(settings["grade_id"])):
        raise MasterError("a grade_id has lower-case letters, digits and hyphens")
    solution = bool(settings.get("solution"))
    grade = "points" in settings
    if grade and not _is_points(cell):
        raise MasterError(f"points is {settings['points']!r}: give a number above 0")
    if not (solution or grade or settings.get("locked")):
        raise MasterError("a cell with a grade_id needs solution=true, points=N or locked=true")
    metadata: dict[str, Any] = {
        "grade_id": settings["grade_id"], "schema_version": 3,
        "grade": grade, "solution": solution, "locked": not solution, "task": False,
    }  # fmt: skip
    if grade:
        metadata["points"] = settings["points"]
    new = nbformat.v4.new_markdown_cell if cell.cell_type == "markdown" else nbformat.v4.new_code_cell
    return new(cell.source, id=settings["grade_id"], metadata={"nbgrader": metadata})


def _require_pairs(path: Path, cells: list[NotebookNode]) -> None:
    """Each zh prose cell is followed by its en partner, so that the two cannot drift apart unseen."""
    prose = [cell for cell in cells if cell.cell_type == "markdown" and "nbgrader" not in cell.metadata]
    for left, right in zip(prose[::2], [*prose[1::2], None], strict=False):
        key = left.id.removesuffix("-zh")
        if left.id == key or right is None or right.id != f"{key}-en":
            raise MasterError(f"{path}: prose cell {left.id} is not followed by its partner {key}-en")
        if left.metadata.tags[1:] != right.metadata.tags[1:]:
            raise MasterError(f"{path}: {left.id} and {right.id} belong to different editions")
