import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.books import course


@pytest.fixture
def root(tmp_path: Path) -> Path:
    course.write_source(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def nbgrader() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run nbgrader's own command line in a course folder."""

    def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        scripts = str(Path(sys.executable).parent)
        environment = {
            "PATH": os.pathsep.join([scripts, os.environ["PATH"]]),
            "HOME": str(root),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }
        return subprocess.run(
            [sys.executable, "-m", "nbgrader", *arguments],
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


@pytest.fixture
def fake_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands judge by words instead of running anything."""

    def make(assignment, **options):
        return course.FakeExecutor(assignment)

    monkeypatch.setattr("autograde.commands.grade.LocalExecutor", make)
    monkeypatch.setattr("autograde.warming.warm_up", lambda *_: None)
