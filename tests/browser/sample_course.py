"""The demo's course with a few of its students, graded by nbgrader's own commands."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.browser.lab import ASSIGNMENT
from tools.demo import FOLDER, make_class

SCORES = {"ada": 100.0, "hugo": 87.0, "liu": 0.0, "olga": 94.0}
TYPED = {
    "generate_assignment": ("generate_assignment", ASSIGNMENT, "--force"),
    "validate": ("validate", f"submitted/liu/{ASSIGNMENT}/exposed_time.ipynb"),
    "autograde": ("autograde", ASSIGNMENT),
    "generate_feedback": ("generate_feedback", ASSIGNMENT),
    "export": ("export",),
}


def make_small_class(checkout: Path) -> Path:
    """Make the demo's course in a checkout; only the students of `SCORES` hand in."""
    course = checkout / FOLDER
    make_class(checkout, course)
    for folder in (course / "submitted").iterdir():
        if folder.name not in SCORES:
            shutil.rmtree(folder)
    return course


def nbgrader(course: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Type ``nbgrader WORDS`` in the course folder, in the course's environment."""
    environment = {**os.environ, "PATH": f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["nbgrader", *words], cwd=course, env=environment, text=True, timeout=600,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
