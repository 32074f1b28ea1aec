"""nbgrader's own commands, with this course's `nbgrader_config.py` and nothing else."""

import csv
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.browser.lab import ASSIGNMENT, ROOT
from tests.browser.sample_course import SCORES

pytestmark = pytest.mark.sandbox
Typed = dict[str, CompletedProcess[str]]
NOTEBOOKS = ("exposed_time", "state_handoff")


@pytest.mark.parametrize("command", ["generate_assignment", "autograde", "generate_feedback", "export"])
def test_command_succeeds(typed: Typed, command: str) -> None:
    assert typed[command].returncode == 0, typed[command].stdout


@pytest.mark.usefixtures("typed")
def test_generate_assignment_writes_the_chinese_edition_as_committed(sample_course: Path) -> None:
    released = sorted(path.relative_to(sample_course) for path in sample_course.glob("release/**/*.ipynb"))
    assert released == [Path("release", "zh", ASSIGNMENT, f"{name}.ipynb") for name in NOTEBOOKS]
    for edition in released:
        assert (sample_course / edition).read_bytes() == (ROOT / edition).read_bytes()


def test_validate_names_the_first_todo_of_a_stub(typed: Typed) -> None:
    text = typed["validate"].stdout
    assert "VALIDATION FAILED ON 2 CELL(S)" in text.upper(), text
    assert "NotImplementedError: TODO 1a · compute_exposed_interval" in text


@pytest.mark.usefixtures("typed")
def test_export_holds_the_scores(sample_course: Path) -> None:
    with (sample_course / "grades.csv").open(newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert {name: float(row["score"]) for name, row in rows.items()} == SCORES
    assert {float(row["max_score"]) for row in rows.values()} == {100.0}


@pytest.mark.usefixtures("typed")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_feedback_is_written_for_each_student(sample_course: Path, name: str) -> None:
    pages = sample_course.glob(f"feedback/*/{ASSIGNMENT}/{name}.html")
    assert {page.parent.parent.name for page in pages} == SCORES.keys()
