"""Chromium, and the servers that the browser tests look at."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.lab import ASSIGNMENT, JUPYTER_LAB, MAKE_LAB, ROOT, TIMEOUT_MS, copy_course, start_lab
from tests.browser.sample_course import TYPED, make_small_class, nbgrader
from tests.engine.conftest import why_no_sandbox

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    # One package only: while it runs, playwright keeps an event loop in this thread.
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"none of {', '.join(NAMES)} is installed (Debian: apt-get install chromium)")
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(TIMEOUT_MS)
    expect.set_options(timeout=TIMEOUT_MS)
    page = context.new_page()
    yield page
    page.screenshot(path=tmp_path / "last.png")
    context.close()


@pytest.fixture(scope="package")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_course(tmp_path_factory.mktemp("course") / "course")


@pytest.fixture(scope="package")
def course_lab(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with start_lab(MAKE_LAB, course, tmp_path_factory.mktemp("course-lab")) as address:
        yield address


@pytest.fixture(scope="package")
def sample_course(course: Path) -> Path:
    return make_small_class(course)


@pytest.fixture(scope="package")
def typed(sample_course: Path) -> dict[str, subprocess.CompletedProcess[str]]:
    """What nbgrader's commands said while the sample course was graded with them."""
    if reason := why_no_sandbox():
        pytest.skip(f"no sandbox here: {reason}")
    return {name: nbgrader(sample_course, *words) for name, words in TYPED.items()}


@pytest.fixture(scope="package")
def sample_lab(sample_course: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with start_lab(JUPYTER_LAB, sample_course, tmp_path_factory.mktemp("sample-lab")) as address:
        yield address


@pytest.fixture(scope="package")
def lone_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one notebook in it, far from any checkout."""
    folder = tmp_path_factory.mktemp("alone")
    shutil.copy(ROOT / "release" / "zh" / ASSIGNMENT / "exposed_time.ipynb", folder)
    return folder


@pytest.fixture(scope="package")
def lone_lab(lone_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with start_lab(JUPYTER_LAB, lone_folder, tmp_path_factory.mktemp("lone-lab")) as address:
        yield address
