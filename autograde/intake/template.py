"""What matching needs to know of a source notebook: ids, normal texts, and who defines which name."""

import re
from collections import Counter
from dataclasses import dataclass

from autograde.course import Role, SourceCell, SourceNotebook

_DEFINED = re.compile(r"^(?:async\s+def|def|class)\s+([^\W\d]\w*)", re.MULTILINE)
_ASSIGNED = re.compile(r"^([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE)


def normal(text: str) -> str:
    """Return a text without the white space that editors change by themselves."""
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def lines_of(text: str) -> Counter[str]:
    """Count a text's lines, without indentation and blank lines."""
    return Counter(line for line in map(str.strip, text.split("\n")) if line)


def similarity(left: Counter[str], right: Counter[str]) -> float:
    """Share of lines that two texts have in common, 0 to 1."""
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 0.0


def defined_names(text: str) -> frozenset[str]:
    """Names of functions and classes that a cell defines at its top level (also where it cannot compile)."""
    return frozenset(_DEFINED.findall(text))


def assigned_names(text: str) -> frozenset[str]:
    """Names that a cell assigns at its top level."""
    return frozenset(name.strip() for group in _ASSIGNED.findall(text) for name in group.split(","))


def bound_names(text: str) -> frozenset[str]:
    """Names that a cell defines or assigns at its top level."""
    return defined_names(text) | assigned_names(text)


@dataclass(frozen=True, slots=True)
class Template:
    """A source notebook, prepared for matching.

    Attributes:
        name: Name of the notebook.
        cells: The source's cells.
        required: Index of each cell that a laid notebook must have.
        answers: Index of each cell that students write.
        by_grade_id: nbgrader's id -> index.
        by_cell_id: The format's id -> index.
        released: Normal form of each released text.
        owner: Name -> index of the one answer cell whose solution defines it.
    """

    name: str
    cells: tuple[SourceCell, ...]
    required: frozenset[int]
    answers: frozenset[int]
    by_grade_id: dict[str, int]
    by_cell_id: dict[str, int]
    released: tuple[str, ...]
    owner: dict[str, int]

    @classmethod
    def of(cls, book: SourceNotebook) -> "Template":
        """Prepare a source notebook."""
        cells = book.cells
        answers = frozenset(i for i, c in enumerate(cells) if c.role in (Role.ANSWER, Role.GRADED_ANSWER))
        usable = [i for i, c in enumerate(cells) if c.in_release or c.cell_type != "code" or c.grade_id]
        return cls(
            name=book.name,
            cells=cells,
            required=frozenset(
                i
                for i in usable
                if cells[i].in_release and (cells[i].cell_type == "code" or cells[i].grade_id)
            ),
            answers=answers,
            by_grade_id={grade_id: i for i in usable if (grade_id := cells[i].grade_id)},
            by_cell_id={cells[i].cell_id: i for i in usable if cells[i].own_id},
            released=tuple(normal(cell.released) for cell in cells),
            owner=_owners(cells, answers),
        )

    def label(self, index: int) -> str:
        """Name a source cell for the instructor."""
        cell = self.cells[index]
        return cell.grade_id or cell.cell_id

    def as_released(self, index: int, text: str) -> bool:
        """Tell whether a text is what the student received, but for invisible white space."""
        return text == self.cells[index].released or normal(text) == self.released[index]

    def is_stub(self, index: int, text: str) -> bool:
        """Tell whether a text is what the student received, or nothing at all."""
        return self.as_released(index, text) or not text.strip()

    def claims(self, text: str) -> frozenset[int]:
        """Return the answer cells whose own names a text defines."""
        return frozenset(self.owner[name] for name in bound_names(text) if name in self.owner)


def _owners(cells: tuple[SourceCell, ...], answers: frozenset[int]) -> dict[str, int]:
    """Names that exactly one cell binds, and that cell is an answer: functions first, else variables."""
    binders: Counter[str] = Counter()
    own: dict[str, int] = {}
    for index, cell in enumerate(cells):
        if cell.cell_type != "code":
            continue
        functions, variables = defined_names(cell.source), assigned_names(cell.source)
        binders.update(functions | variables)
        if index in answers:
            own.update(dict.fromkeys(functions or variables, index))
    return {name: index for name, index in own.items() if binders[name] == 1}
