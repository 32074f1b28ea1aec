"""The instructor's road: `make lab`, Formgrader, the class with its grades."""

from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.lab import ASSIGNMENT, choose
from tests.browser.sample_course import SCORES

pytestmark = pytest.mark.browser


def open_formgrader(page: Page, address: str) -> FrameLocator:
    page.goto(f"{address}/lab?reset")
    choose(page, "Nbgrader", "Formgrader")
    return page.frame_locator("iframe[src*=formgrader]")


def test_formgrader_lists_the_assignment_of_a_new_course(page: Page, course_lab: str, tmp_path: Path) -> None:
    formgrader = open_formgrader(page, course_lab)
    expect(formgrader.get_by_role("link", name=ASSIGNMENT)).to_be_visible()
    page.screenshot(path=tmp_path / "assignments.png")


@pytest.mark.sandbox
@pytest.mark.usefixtures("typed")
def test_formgrader_shows_the_sample_class_with_its_grades(
    page: Page, sample_lab: str, tmp_path: Path
) -> None:
    formgrader = open_formgrader(page, sample_lab)
    formgrader.get_by_role("link", name="Manage Students").click()
    for student, score in SCORES.items():
        row = formgrader.get_by_role("row").filter(has_text=student)
        expect(row).to_contain_text(f" {score:g} / 100")
    page.screenshot(path=tmp_path / "students.png")
