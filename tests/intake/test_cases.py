"""Every case of the corpus: the right status, the right words, and the right points."""

import itertools

import pytest

from autograde.course import Assignment, Submission
from autograde.intake import Intake, admit
from tests.cases import CASES, Case
from tests.cases.corpus import GRADED, REPAIRED, REVIEW, Sent
from tests.cases.course import TESTS
from tests.intake.reference import scores


def submission(sent: Sent) -> Submission:
    return Submission("student-7", sent.files, sent.refused, None, sent.timestamp_problem, "")


def status(intake: Intake) -> str:
    if intake.problems:
        return REVIEW
    return REPAIRED if intake.repairs else GRADED


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}-{case.name}")
def test_case(case: Case, shapes: Assignment, honest: dict[str, bytes]) -> None:
    sent = Sent(honest)
    case.change(sent)
    intake = admit(shapes, submission(sent))
    said = {REVIEW: intake.problems, REPAIRED: intake.repairs, GRADED: intake.notes}[case.outcome]
    assert status(intake) == case.outcome, (intake.repairs, intake.problems, intake.notes)
    assert case.says in "\n".join(said) or not case.says, said
    if case.outcome != REVIEW:
        lost = {name for name, points in scores(shapes, intake).items() if points != TESTS[name]}
        assert lost == case.loses
    for line in itertools.chain(intake.repairs, intake.problems, intake.notes):
        assert "\n" not in line
        assert line.isprintable()


def test_names_of_cases_are_unique() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))


def test_required_cells_are_laid_once_and_in_order(shapes: Assignment, honest: dict[str, bytes]) -> None:
    for case in CASES:
        sent = Sent(honest)
        case.change(sent)
        for source, laid in zip(shapes.notebooks, admit(shapes, submission(sent)).notebooks, strict=True):
            if not laid.cells:
                continue
            placed = [cell.source_index for cell in laid.cells if cell.source_index is not None]
            assert placed == sorted(set(placed)), case.name
            needed = {i for i, c in enumerate(source.cells) if c.cell_type == "code" or c.grade_id}
            assert needed <= set(placed), case.name
            ids = [cell.cell_id for cell in laid.cells]
            assert len(ids) == len(set(ids)), case.name


def test_locked_cells_have_the_released_text(shapes: Assignment, honest: dict[str, bytes]) -> None:
    for case in CASES:
        sent = Sent(honest)
        case.change(sent)
        for source, laid in zip(shapes.notebooks, admit(shapes, submission(sent)).notebooks, strict=True):
            for cell in laid.cells:
                if cell.source_index is not None and source.cells[cell.source_index].locked:
                    assert cell.text == source.cells[cell.source_index].released, case.name
            assert "HIDDEN" not in "".join(cell.text for cell in laid.cells), case.name
