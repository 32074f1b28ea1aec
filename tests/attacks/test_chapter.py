"""The attacks on the grader's surroundings, tried on the real chapter."""

from pathlib import Path

import pytest

from autograde.course import Assignment, Role, load_assignment
from autograde.executors import Finished, Job, LocalExecutor
from autograde.intake import Intake, LaidCell, LaidNotebook
from autograde.outcome import Status
from autograde.sandbox import Kind
from tests.attacks.test_attacks import ATTACKS
from tests.engine.conftest import Start
from tests.engine.course_in_code import results_of

WRONG = """
def compute_exposed_interval(transfer_interval, cover_intervals):
    return {"total_ms": 0.0, "hidden_ms": 0.0, "exposed_ms": 0.0}
"""


def preparation(path: Path) -> str:
    """Return what an attack does before it defines its answer; "" if it only imports."""
    before, defined, _ = path.read_text().partition("\ndef spread")
    acts = [line for line in before.splitlines() if line and not line.startswith(("#", "import", "from"))]
    return before if acts and defined and "spread" not in before else ""


# Attacks that prepare the ground: their answer is replaced by a wrong one to the chapter's TODO 1.
GENERAL = [path for path in ATTACKS if preparation(path)]


@pytest.fixture(scope="module")
def chapter() -> Assignment:
    return load_assignment(Path(__file__).parents[2], "03_serving_overlap")


@pytest.fixture(scope="module")
def executor(start: Start, chapter: Assignment, kind: Kind) -> LocalExecutor:
    return start(chapter, kind)


def grade(
    executor: LocalExecutor, chapter: Assignment, first: str | None = None, *, solved: bool = True
) -> Finished:
    """Grade the solution, or the stubs, with another text for TODO 1."""
    books = []
    for book in chapter.notebooks:
        laid = []
        for index, cell in enumerate(book.cells):
            text = cell.source if solved and cell.role is Role.ANSWER else cell.released
            if first is not None and cell.grade_id == "todo1-exposed-interval":
                text = first
            laid.append(LaidCell(index, cell.cell_type, text, cell.cell_id))
        books.append(LaidNotebook(book.name, tuple(laid)))
    (finished,) = executor.run([Job("someone", Intake(tuple(books), {}))])
    return finished


def test_the_chapter_needs_no_shared_test_and_no_review(executor: LocalExecutor, chapter: Assignment) -> None:
    assert executor.plan.problems == ()
    assert not any(cell.shared for book in executor.plan.books for cell in book)
    finished = grade(executor, chapter)
    assert finished.result.score == 100.0 and finished.result.status is Status.GRADED
    assert not any("tamper-proof" in note for note in finished.result.notes)


def test_the_chapters_stubs_score_zero_and_say_why(executor: LocalExecutor, chapter: Assignment) -> None:
    finished = grade(executor, chapter, solved=False)
    assert finished.result.score == 0.0
    assert all("not written yet" in result.message for result in results_of(finished).values())


@pytest.mark.parametrize("path", GENERAL, ids=lambda path: path.stem)
def test_an_attack_on_todo_1_earns_nothing_there_and_changes_nothing_elsewhere(
    executor: LocalExecutor, chapter: Assignment, path: Path
) -> None:
    finished = grade(executor, chapter, preparation(path) + WRONG)
    points = {name: result.points or 0.0 for name, result in results_of(finished).items()}
    assert sum(value for name, value in points.items() if name.startswith("todo1")) == 0.0
    assert sum(value for name, value in points.items() if name.startswith(("todo3", "todo4"))) == 40.0


def test_the_list_of_general_attacks_is_not_empty() -> None:
    assert len(GENERAL) > 10
