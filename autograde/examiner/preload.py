"""What is worth importing before the first fork."""

import re
import sys
from collections.abc import Mapping

from autograde.examiner.task import Task

# What takes time to import, and is safe to fork after.
_WORTH_PRELOADING = {"matplotlib", "numpy", "pandas", "scipy", "sklearn", "sympy", "torch"}
_PARTS = {"matplotlib.pyplot", "matplotlib.figure", "numpy.random"}  # what loads lazily, or later
_IMPORT = re.compile(r"^\s*(?:import|from)\s+([\w.]+)", re.MULTILINE)


def loaded_modules() -> set[str]:
    """Return which modules of those worth preloading this process has imported."""
    return {name for name in _WORTH_PRELOADING | _PARTS if name in sys.modules}


def modules_to_preload(task: Task, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the modules that are worth importing before the first fork.

    They are those that the source imports: in its cells, in helpers that its cells hold as text, or in files.
    """
    texts = [cell.source for book in task.books for cell in book.cells if cell.code]
    texts += [content.decode("utf-8", "replace") for name, content in files.items() if name.endswith(".py")]
    found = {name for text in texts for name in _IMPORT.findall(text)}
    wanted = {name for name in found if name.partition(".")[0] in _WORTH_PRELOADING}
    return tuple(sorted(wanted | {"numpy", "numpy.random"}))  # numpy.random loads lazily
