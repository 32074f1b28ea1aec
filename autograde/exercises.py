"""Which tests belong to which exercise of an assignment."""

from dataclasses import dataclass

from autograde.course import Assignment, Role, SourceNotebook


@dataclass(frozen=True, slots=True)
class ExerciseTest:
    """A graded cell: its id and points."""

    grade_id: str
    points: float


@dataclass(frozen=True, slots=True)
class Exercise:
    """An answer cell and the cells that grade it.

    Attributes:
        notebook: Name of the notebook.
        grade_id: Of the answer; of the first test where no answer goes before it.
        tests: In the order of ``source/``.
    """

    notebook: str
    grade_id: str
    tests: tuple[ExerciseTest, ...]

    @property
    def max_points(self) -> float:
        """Points of the exercise."""
        return sum(test.points for test in self.tests)


def exercises(assignment: Assignment) -> tuple[Exercise, ...]:
    """Return the exercises of an assignment, in order.

    A test belongs to the answer whose id its own id begins with; otherwise to the last answer before it.
    """
    return tuple(exercise for book in assignment.notebooks for exercise in _in_notebook(book))


def manual_cells(assignment: Assignment) -> dict[tuple[str, str], float]:
    """Return notebook and grade id of each cell that a person grades -> its points."""
    return {
        (book.name, cell.grade_id): cell.points
        for book in assignment.notebooks
        for cell in book.cells
        if cell.manual and cell.grade_id is not None
    }


def _in_notebook(book: SourceNotebook) -> list[Exercise]:
    answers = [cell.grade_id for cell in book.cells if cell.role is Role.ANSWER and cell.grade_id is not None]
    tests: dict[str, list[ExerciseTest]] = {}
    last = ""
    for cell in book.cells:
        if cell.grade_id is None:
            continue
        if cell.role is Role.ANSWER:
            last = cell.grade_id
        elif cell.role in (Role.GRADED_ANSWER, Role.TASK):
            tests.setdefault(cell.grade_id, []).append(ExerciseTest(cell.grade_id, cell.points))
        elif cell.role is Role.TEST:
            named = [answer for answer in answers if cell.grade_id.startswith(answer)]
            owner = max(named, key=len, default=last or cell.grade_id)
            tests.setdefault(owner, []).append(ExerciseTest(cell.grade_id, cell.points))
    return [Exercise(book.name, owner, tuple(mine)) for owner, mine in tests.items()]
