"""Read the prose as an editor would: short cells, both languages, the glossary's terms."""

import csv
import math
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

MAX_PROSE_LINES = 6
MAX_CODE_LINES = 15
LINE_COLUMNS = 120
_NOT_TEXT = re.compile(r"^\s*(\||<|!\[|$)")


@dataclass(frozen=True)
class Term:
    """One row of the glossary: what both languages say, and what neither should."""

    zh: str
    en: tuple[str, ...]
    avoid: tuple[str, ...]


def read_glossary(path: Path) -> list[Term]:
    """Read ``glossary.csv``: columns ``zh``, ``en``, ``avoid``; alternatives are separated by ``|``."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Term(row["zh"], tuple(row["en"].split("|")), tuple(filter(None, row["avoid"].split("|"))))
            for row in csv.DictReader(file)
        ]


def prose_problems(name: str, notebook: NotebookNode, glossary: list[Term]) -> list[str]:
    """Return one line for each rule that a notebook's cells break."""
    problems = []
    prose = {cell.id: cell.source for cell in notebook.cells if cell.cell_type == "markdown"}
    for cell in notebook.cells:
        is_code = cell.cell_type == "code"
        nbgrader = cell.metadata.get("nbgrader", {})
        if nbgrader.get("grade") or nbgrader.get("solution") or "set-up" in cell.metadata.get("tags", ()):
            continue
        length = len(cell.source.splitlines()) if is_code else _lines(cell.source)
        limit = MAX_CODE_LINES if is_code else MAX_PROSE_LINES
        if length > limit:
            problems.append(f"{name}: cell {cell.id} has {length} lines; split it (at most {limit})")
    for key, zh in ((key, text) for key, text in prose.items() if key.endswith("-zh")):
        problems.extend(_term_problems(name, key, zh, prose[f"{key.removesuffix('-zh')}-en"], glossary))
    return problems


def _term_problems(name: str, key: str, zh: str, en: str, glossary: list[Term]) -> list[str]:
    problems = []
    for term in glossary:
        for wrong in term.avoid:
            if wrong in zh.replace(term.zh, "") or re.search(rf"\b{re.escape(wrong)}\b", en, re.IGNORECASE):
                problems.append(f"{name}: pair {key} says {wrong!r}; glossary.csv: {term.zh} / {term.en[0]}")
        if term.zh in zh and not any(word.lower() in en.lower() for word in term.en):
            problems.append(
                f"{name}: {key} says {term.zh!r}, its partner never says {' or '.join(term.en)!r}"
            )
    return problems


def _lines(source: str) -> int:
    """Count lines of running text as a reader sees them; tables, HTML and pictures have their own shape."""
    return sum(
        math.ceil(_columns(line) / LINE_COLUMNS) for line in source.splitlines() if not _NOT_TEXT.match(line)
    )


def _columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)
