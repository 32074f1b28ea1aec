"""A course with what ordinary nbgrader courses have, for comparison with nbgrader itself."""

import importlib.util
from pathlib import Path

from tests.builder import notebook, parse, write_source

ASSIGNMENT = "parity"
HAS_TORCH = importlib.util.find_spec("torch") is not None

HELPERS = b'''"""A helper module that comes with the assignment."""

FACTOR = 10


def scale(value):
    return FACTOR * value


def scaled(values):
    return [scale(value) for value in values]
'''
FILES = {
    "helpers.py": HELPERS,
    "data/scores.csv": b"name,score\nann,3\nbob,5\ncy,10\n",
    "data.txt": b"1 2 3\n",
}
FOLDER = Path(__file__).parent / "books"
BOOKS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted(FOLDER.glob("*.txt"))
    if HAS_TORCH or path.stem != "tensors"
}


def write_course(root: Path) -> Path:
    """Write the course's ``source/`` and return its folder."""
    books = {name: notebook(parse(text)) for name, text in BOOKS.items()}
    return write_source(root, ASSIGNMENT, books, FILES)


def solutions() -> dict[str, str]:
    """Return the instructor's answers, by grade id."""
    answers = {}
    for text in BOOKS.values():
        for made in parse(text):
            meta = made["metadata"].get("nbgrader", {})
            if meta.get("solution"):
                lines = made["source"].split("\n")
                answers[made["id"]] = "\n".join(line for line in lines if "### " not in line)
    return answers
