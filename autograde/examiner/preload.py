"""What is worth importing before the first fork."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module

from autograde.examiner.task import Task

# What takes time to import, and is safe to fork after.
_WORTH_PRELOADING = {"matplotlib", "numpy", "pandas", "scipy", "sklearn", "sympy", "torch"}
_PARTS = {"matplotlib.pyplot", "matplotlib.figure", "numpy.random"}  # what loads lazily, or later
_IMPORT = re.compile(r"^\s*(?:import|from)\s+([\w.]+)", re.MULTILINE)


def loaded_modules() -> set[str]:
    """Return which modules of those worth preloading this process has imported."""
    return {name for name in _WORTH_PRELOADING | _PARTS if name in sys.modules}


def modules_to_preload(task: Task, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the modules that are worth importing before the first student's process is forked.

    They are those that the source imports: in its cells, in helpers that its cells hold as text, or in files.
    """
    texts = [cell.source for book in task.books for cell in book.cells if cell.code] + _helpers(files)
    held = {name for text in texts for name in _IMPORT.findall(text)}
    own = {name for text in texts for name in _imports(text)}
    return tuple(sorted(_worth(held | own) | {"numpy", "numpy.random"}))  # a lazy one


def modules_of_tests(task: Task, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the modules that are worth importing before the first examiner is forked to make the plan.

    They are those that tests, given cells and files import themselves, not in a text that they hold.
    """
    cells = [cell for book in task.books for cell in book.cells if cell.code]
    texts = [cell.source for cell in cells if cell.is_test or cell.role == "given"]
    return tuple(sorted(_worth({name for text in [*texts, *_helpers(files)] for name in _imports(text)})))


def import_all(names: Iterable[str]) -> None:
    """Import what can be imported; who needs one that can't says so later."""
    for name in names:
        with suppress(Exception):
            import_module(name)


def _imports(source: str) -> Iterator[str]:
    """Yield the modules that a cell imports itself; none of a cell with magics, which the plan will show."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _worth(names: set[str]) -> set[str]:
    return {name for name in names if name.partition(".")[0] in _WORTH_PRELOADING}


def _helpers(files: Mapping[str, bytes]) -> list[str]:
    return [content.decode("utf-8", "replace") for name, content in files.items() if name.endswith(".py")]
