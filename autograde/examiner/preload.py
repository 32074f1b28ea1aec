"""What is worth importing before the first fork."""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from autograde.examiner.lazy_imports import LARGE
from autograde.examiner.task import Task
from autograde.plain_data import loaded

# What takes time to import, and is safe to fork after.
_WORTH_PRELOADING = {"matplotlib", "numpy", "pandas", "scipy", "sklearn", "sympy", "torch"}
_PARTS = {"matplotlib.pyplot", "matplotlib.figure", "numpy.random"}  # what loads lazily, or later
_DEFINES = re.compile(r"^(?:def|class|import|from) ", re.MULTILINE)
_IMPORT = re.compile(r"^\s*(?:import|from)\s+([\w.]+)", re.MULTILINE)


def loaded_modules() -> set[str]:
    """Return which modules of those worth preloading this process has imported."""
    return {name for name in _WORTH_PRELOADING | _PARTS if loaded(name)}


def modules_to_preload(task: Task, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the modules that are worth importing before the first student's process is forked.

    They are those that the source imports: in its cells, in helpers that its cells hold as text, or in files.
    """
    cells = [cell.source for book in task.books for cell in book.cells if cell.code]
    return _imported_somehow(cells + _helpers(files))


def _imported_somehow(texts: Iterable[str]) -> tuple[str, ...]:
    texts = list(texts)
    held = {name for text in texts for name in _IMPORT.findall(text)}
    own = {name for text in texts for name in _imports(text)}
    return tuple(sorted(_worth(held | own) | {"numpy", "numpy.random"}))  # a lazy one


def modules_in_files(folder: Path) -> tuple[str, ...]:
    """Guess the modules of :func:`modules_to_preload` from an assignment's files, before they are loaded."""
    texts = []
    for path in sorted(folder.rglob("*")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            if path.suffix == ".py":
                texts.append(path.read_text(encoding="utf-8"))
            elif path.suffix == ".ipynb":
                cells = json.loads(path.read_bytes())["cells"]
                texts += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return _imported_somehow(texts)


def modules_of_tests(task: Task, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the modules that are worth importing before the first examiner is forked to make the plan.

    They are those that tests, given cells and files import themselves, not in a text that they hold; of the
    large ones, which are loaded when they are used, those whose names occur.
    """
    cells = [cell for book in task.books for cell in book.cells if cell.code]
    texts = [cell.source for cell in cells if cell.is_test or cell.role == "given"]
    nodes = [node for text in [*texts, *_helpers(files)] for node in ast.walk(_parsed(text))]
    used = {node.id for node in nodes if isinstance(node, ast.Name)} | {"*"}
    found = [pair for node in nodes for pair in _bound_modules(node)]
    loaded_anyway = {module.partition(".")[0] for module, _ in found} - LARGE
    return tuple(sorted(_worth(loaded_anyway | {module for module, name in found if name in used})))


def helper_texts(task: Task, files: Mapping[str, bytes]) -> list[str]:
    """Return the modules that an assignment brings along: its files, and texts in given cells.

    All of them are the student's too: they go into the student's process.
    """
    given = [cell for book in task.books for cell in book.cells if cell.code and cell.role == "given"]
    return sorted({*_helpers(files), *(text for cell in given for text in _modules_in(cell.released))})


def _modules_in(source: str) -> Iterator[str]:
    """Yield the texts in a cell that it may write into a file and import."""
    for node in ast.walk(_parsed(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _DEFINES.search(node.value):
            yield node.value


def import_all(names: Iterable[str]) -> None:
    """Import and load what can be imported; who needs one that can't says so later."""
    for name in names:
        with suppress(Exception):
            vars(import_module(name))


def _imports(source: str) -> Iterator[str]:
    """Yield the modules that a cell imports itself; none of a cell with magics, which the plan will show."""
    for node in ast.walk(_parsed(source)):
        yield from (module for module, _ in _bound_modules(node))


def _bound_modules(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each module that an import names, and the name that it binds."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, alias.asname or alias.name.partition(".")[0]) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from ((node.module, alias.asname or alias.name) for alias in node.names)


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _worth(names: set[str]) -> set[str]:
    return {name for name in names if name.partition(".")[0] in _WORTH_PRELOADING}


def _helpers(files: Mapping[str, bytes]) -> list[str]:
    return [content.decode("utf-8", "replace") for name, content in files.items() if name.endswith(".py")]
