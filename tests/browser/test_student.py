"""The student's road: open a release notebook, run all, read what is next, write it, see it drawn."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.lab import ASSIGNMENT, OpenNotebook

pytestmark = pytest.mark.browser

CLIP = "clipped = sorted((max(start, a), min(end, b)) for a, b in windows if min(end, b) > max(start, a))"
NO_CLIP = "clipped = sorted(windows)"
ADD = "hidden_ms = sum(b - a for a, b in merged)"
CONVERT = "transfer_ms = fixed_latency_ms + payload_bytes / (bandwidth_gbps * 125_000)"
NOT_READY = "missing = [name for name in required if not handoff_state.get(name)]"
FOREIGN = (
    "incompatible = [name for name, wanted in (('request_id', expected_request_id), "
    "('version', expected_version)) if handoff_state.get(name) != wanted]"
)
IN_TIME = "can_wait = ready_at_ms <= deadline_ms"
PICTURE = ".jp-OutputArea-output img"
ERROR = ".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']"


def expect_todo(notebook: OpenNotebook, cell_id: str, todo: str) -> None:
    """The first error of the run is in this cell, and its last line names the TODO."""
    error = notebook.page.locator(ERROR).first
    expect(error).to_contain_text(todo)
    assert error.text_content().strip().splitlines()[-1].startswith(f"NotImplementedError: {todo}")
    expect(notebook.cell(cell_id).locator(ERROR)).to_have_count(1)


def test_english_edition_from_first_error_to_full_strip(
    page: Page, course_lab: str, course: Path, tmp_path: Path
) -> None:
    notebook = OpenNotebook(page, course_lab, course, f"release/en/{ASSIGNMENT}/exposed_time.ipynb")
    set_up = notebook.cell("setup")
    expect(set_up).to_contain_text("Set-up: run me first")
    expect(set_up).not_to_contain_text("HELPERS")
    page.screenshot(path=tmp_path / "1-opened.png")

    notebook.run_all()
    expect_todo(notebook, "todo1-picture", "TODO 1a · compute_exposed_interval")
    notebook.cell("todo1-picture").screenshot(path=tmp_path / "2-first-error.png")

    notebook.replace_stub("todo1-exposed-interval", CLIP)
    notebook.replace_stub("todo1-exposed-interval", ADD)
    notebook.cell("todo1-exposed-interval").screenshot(path=tmp_path / "3-typed.png")
    notebook.run_all()
    own = notebook.cell("todo1-picture")
    expect(own.locator(PICTURE)).to_be_visible()
    own.screenshot(path=tmp_path / "4-own-timeline.png")
    expect(
        notebook.cell("todo1-exposed-interval-test-visible").locator(".jp-OutputArea-output")
    ).to_have_count(0)
    expect_todo(notebook, "todo2-picture", "TODO 2 · estimate_handoff")

    notebook.replace_stub("todo2-handoff-estimate", CONVERT)
    notebook.run_all()
    expect(page.locator(ERROR)).to_have_count(0)
    expect(notebook.cell("todo2-picture").locator(PICTURE)).to_be_visible()
    strip = notebook.cell("check-all-run")
    expect(strip).to_contain_text("TODO 1: passed")
    expect(strip).to_contain_text("TODO 2: passed")
    expect(strip.locator(PICTURE)).to_be_visible()
    strip.screenshot(path=tmp_path / "5-done.png")

    dialog = notebook.validate()
    expect(dialog).to_contain_text("Success! Your notebook passes all the tests.")


def test_chinese_edition_alone_names_the_rule_that_a_wrong_answer_breaks(
    page: Page, lone_lab: str, lone_folder: Path, tmp_path: Path
) -> None:
    notebook = OpenNotebook(page, lone_lab, lone_folder, "exposed_time.ipynb")
    notebook.run_all()
    expect_todo(notebook, "todo1-picture", "TODO 1a · compute_exposed_interval")
    assert (lone_folder / "overlap-course" / "tools" / "timeline.py").is_file()

    notebook.replace_stub("todo1-exposed-interval", NO_CLIP)
    notebook.replace_stub("todo1-exposed-interval", ADD)
    notebook.run_all()
    own = notebook.cell("todo1-picture")
    expect(own.locator(PICTURE)).to_be_visible()
    own.screenshot(path=tmp_path / "1-wrong-timeline.png")
    broken = notebook.cell("todo1-exposed-interval-test-visible")
    expect(broken.locator(ERROR)).to_contain_text("AssertionError: 先裁剪，再合并")
    broken.screenshot(path=tmp_path / "2-broken-rule.png")

    dialog = notebook.validate()
    expect(dialog).to_contain_text("先裁剪，再合并")
    page.screenshot(path=tmp_path / "3-validate.png")


def test_second_notebook_up_to_its_decision_map(
    page: Page, course_lab: str, course: Path, tmp_path: Path
) -> None:
    notebook = OpenNotebook(page, course_lab, course, f"release/zh/{ASSIGNMENT}/state_handoff.ipynb")
    notebook.run_all()
    expect_todo(notebook, "todo3-picture", "TODO 3 · validate_handoff_state")

    notebook.replace_stub("todo3-handoff-state", f"{NOT_READY}; {FOREIGN}")
    notebook.replace_stub("todo4-decode-start", IN_TIME)
    notebook.run_all()
    expect(page.locator(ERROR)).to_have_count(0)
    for cell_id in ("todo3-picture", "todo4-picture", "check-all-run"):
        expect(notebook.cell(cell_id).locator(PICTURE)).to_be_visible()
        notebook.cell(cell_id).screenshot(path=tmp_path / f"{cell_id}.png")
    expect(notebook.cell("check-all-run")).to_contain_text("TODO 4: passed")
