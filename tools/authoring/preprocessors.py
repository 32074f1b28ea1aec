"""What this course adds to nbgrader's ``generate_assignment``: one language, stubs that name their TODO."""

import re
from typing import Any

from nbformat import NotebookNode
from nbgrader.converters.generate_assignment import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions, IncludeHeaderFooter, NbGraderPreprocessor
from traitlets import Enum
from traitlets.config import Config

from tools.authoring.masters import LANGUAGES

_STUB = "raise NotImplementedError()"
_TODO = re.compile(r"# (TODO \d+\w?)\b")
_FUNCTION = re.compile(r"^def (\w+)", re.MULTILINE)


class SelectLanguage(NbGraderPreprocessor):
    """Keep the prose of one language, and drop what belongs to the solution edition."""

    language = Enum(LANGUAGES, default_value="zh", help="Language of the prose that is kept").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the notebook without the other languages' cells."""
        dropped = {*LANGUAGES, "solution"} - {self.language}
        nb.cells = [cell for cell in nb.cells if not dropped & set(cell.metadata.get("tags", ()))]
        return nb, resources


class NameTodos(NbGraderPreprocessor):
    """Make each stub name its TODO: the last line of a traceback then says what comes next."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], cell_index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the cell with each ``NotImplementedError`` naming its TODO and the function."""
        if cell.cell_type == "code" and _STUB in cell.source:
            function = _FUNCTION.search(cell.source)
            todo, lines = None, []
            for line in cell.source.splitlines():
                if found := _TODO.search(line):
                    todo = found[1]
                if todo and _STUB in line:
                    name = f"{todo} · {function[1]}" if function else todo
                    line = line.replace(
                        _STUB, f'raise NotImplementedError("{name}: 还没有写 / not written yet")'
                    )
                lines.append(line)
            cell.source = "\n".join(lines)
        return cell, resources


def configure_release(config: Config) -> None:
    """Plug both into nbgrader's own generate step.

    Args:
        config: The configuration that ``nbgrader_config.py`` fills.
    """
    steps = list(GenerateAssignment.preprocessors.default())
    steps.insert(steps.index(IncludeHeaderFooter) + 1, SelectLanguage)
    steps.insert(steps.index(ClearSolutions) + 1, NameTodos)
    config.GenerateAssignment.preprocessors = steps
    config.ClearSolutions.code_stub = {
        "python": f"# 写在这里，再删掉下一行 · your code here, then delete the next line\n{_STUB}"
    }
