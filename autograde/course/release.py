"""What students received: the source after nbgrader's own release steps, as the course configures them."""

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from traitlets import import_item
from traitlets.config import Config

from autograde.errors import CourseError

if TYPE_CHECKING:
    from nbformat import NotebookNode

_MARK = "autograde_source_index"
# Steps of generate_assignment that write the database, start a kernel or only touch metadata.
_SKIPPED = frozenset(
    {
        "IncludeHeaderFooter",  # applied first, to the source itself
        "InstantiateTests",
        "LockCells",
        "CheckCellMetadata",
        "ComputeChecksums",
        "SaveCells",
    }
)


class Release:
    """Applies the text-changing preprocessors of ``nbgrader generate_assignment``."""

    def __init__(self, config: Config, layout: Any, assignment: str) -> None:
        """Prepare the preprocessors of one course.

        Args:
            config: The course's configuration.
            layout: nbgrader's ``CourseDirectory``.
            assignment: Name of the assignment.
        """
        from nbgrader.converters import GenerateAssignment

        self._layout = layout
        self._assignment = assignment
        self._config = config
        converter = GenerateAssignment(coursedir=layout, config=config)
        steps = [import_item(step) if isinstance(step, str) else step for step in converter.preprocessors]
        self._steps = [step(parent=converter) for step in steps if step.__name__ not in _SKIPPED]

    def add_header_and_footer(self, book: "NotebookNode") -> None:
        """Add the cells that ``IncludeHeaderFooter`` is configured to add, in place."""
        options = self._config.get("IncludeHeaderFooter", {})
        header, footer = (self._cells_of(options.get(which)) for which in ("header", "footer"))
        book.cells = [*header, *book.cells, *footer]

    def _cells_of(self, name: object) -> "list[NotebookNode]":
        if not isinstance(name, str) or not name:
            return []
        import nbformat

        path = Path(self._layout.root) / name
        try:
            return list(nbformat.read(path, as_version=4).cells)
        except Exception as error:
            raise CourseError(f"{path}, named in nbgrader_config.py, cannot be read ({error})") from error

    def texts(self, book: "NotebookNode", path: Path) -> dict[int, str]:
        """Return index of a source cell -> its released text; cells that are left out are absent.

        Raises:
            CourseError: If a preprocessor refuses the notebook (an unclosed region, for example).
        """
        book = copy.deepcopy(book)
        for index, cell in enumerate(book.cells):
            cell.metadata[_MARK] = index
        name = path.stem
        resources: dict[str, Any] = {
            "unique_key": name,
            "output_files_dir": f"{name}_files",
            "metadata": {"name": name, "path": str(path.parent)},
            "nbgrader": {
                "student": ".",
                "assignment": self._assignment,
                "notebook": name,
                "db_url": self._layout.db_url,
            },
        }
        for step in self._steps:
            try:
                book, resources = step(book, resources)
            except Exception as error:
                reason = str(error).splitlines()[0] if str(error) else type(error).__name__
                raise CourseError(f"{path}: {type(step).__name__}: {reason}") from error
        return {cell.metadata[_MARK]: cell.source for cell in book.cells if _MARK in cell.metadata}
