"""What matching needs to know of a source notebook: ids, normal texts, and who defines which name."""

import re
from collections import Counter
from dataclasses import dataclass

from autograde.course import Role, SourceCell, SourceNotebook, normal_text

# Within a line and possessive: a student's text of any shape must be searched in linear time.
_DEFINED = re.compile(r"^(?:async[ \t]++def|def|class)[ \t]++([^\W\d]\w*+)", re.MULTILINE)
_ASSIGNED = re.compile(
    r"^([^\W\d]\w*+(?:[ \t]*+,[ \t]*+[^\W\d]\w*+)*+)[ \t]*+(?::[^=\n]++)?=(?!=)", re.MULTILINE
)


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
        owner: Name -> index of the one answer cell whose solution binds it.
        variables: Index of an answer cell that defines no function -> the variables that it alone assigns.
    """

    name: str
    cells: tuple[SourceCell, ...]
    required: frozenset[int]
    answers: frozenset[int]
    by_grade_id: dict[str, int]
    by_cell_id: dict[str, int]
    released: tuple[str, ...]
    owner: dict[str, int]
    variables: dict[int, frozenset[str]]

    @classmethod
    def of(cls, book: SourceNotebook) -> "Template":
        """Prepare a source notebook."""
        cells = book.cells
        owner, variables = _owners(cells)
        answers = frozenset(i for i, c in enumerate(cells) if c.role in (Role.ANSWER, Role.GRADED_ANSWER))
        usable = [i for i, c in enumerate(cells) if c.in_release or c.cell_type != "code" or c.grade_id]
        return cls(
            name=book.name,
            cells=cells,
            required=frozenset(
                i
                for i in usable
                if cells[i].in_release
                and (cells[i].grade_id or (cells[i].cell_type == "code" and cells[i].released.strip()))
            ),
            answers=answers,
            by_grade_id={grade_id: i for i in usable if (grade_id := cells[i].grade_id)},
            by_cell_id={cells[i].cell_id: i for i in usable if cells[i].own_id},
            released=tuple(normal_text(cell.released) for cell in cells),
            owner=owner,
            variables=variables,
        )

    def label(self, index: int) -> str:
        """Name a source cell for the instructor."""
        cell = self.cells[index]
        if cell.grade_id or cell.own_id:
            return cell.grade_id or cell.cell_id
        first = next(iter(cell.source.strip().splitlines()), "")
        return f"the cell that begins with {first[:40]!r}"

    def as_released(self, index: int, text: str) -> bool:
        """Tell whether a text is what the student received, but for invisible white space."""
        return text == self.cells[index].released or normal_text(text) == self.released[index]

    def is_stub(self, index: int, text: str) -> bool:
        """Tell whether a text says no more than what the student received, but for comments."""
        cell = self.cells[index]
        if self.as_released(index, text) or cell.was_released(text) or not text.strip():
            return True
        return cell.cell_type == "code" and _code_lines(text) == _code_lines(cell.released)

    def claims(self, text: str) -> frozenset[int]:
        """Return the answer cells that a text may be meant for.

        One function or class of its own is enough; an answer that only assigns variables needs all of them,
        because a scratch variable may have the same name by chance.
        """
        names = bound_names(text)
        owners = {self.owner[name] for name in names if name in self.owner}
        return frozenset(index for index in owners if names >= self.variables.get(index, frozenset()))


def _code_lines(text: str) -> list[str]:
    """A cell's lines without blank ones and comments."""
    lines = map(str.strip, text.split("\n"))
    return [line for line in lines if line and not line.startswith("#")]


def _owners(cells: tuple[SourceCell, ...]) -> tuple[dict[str, int], dict[int, frozenset[str]]]:
    """Names that exactly one cell binds, and that cell is an answer: functions first, else variables."""
    binders: Counter[str] = Counter()
    own: dict[str, int] = {}
    only_variables = set()
    for index, cell in enumerate(cells):
        if cell.cell_type != "code":
            continue
        functions, variables = defined_names(cell.source), assigned_names(cell.source)
        binders.update(functions | variables)
        if cell.role in (Role.ANSWER, Role.GRADED_ANSWER):
            own.update(dict.fromkeys(functions or variables, index))
            if not functions:
                only_variables.add(index)
    owner = {name: index for name, index in own.items() if binders[name] == 1}
    variables_of = {
        index: frozenset(name for name in owner if owner[name] == index) for index in only_variables
    }
    return owner, variables_of
