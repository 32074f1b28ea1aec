"""A course graded by nbgrader's own commands, typed as they stand in its manual."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tests.browser.lab import ASSIGNMENT

EDITIONS = {"ada": "zh", "ben": "en"}  # who works on which edition


def nbgrader(course: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Type ``nbgrader WORDS`` in the course folder, in the course's environment."""
    environment = {**os.environ, "PATH": f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["nbgrader", *words], cwd=course, env=environment, text=True, timeout=300,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def solved(released: NotebookNode, source: NotebookNode) -> NotebookNode:
    """Return a student's notebook with the instructor's answers in it."""
    answers = {cell.id: cell.source for cell in source.cells}
    for cell in released.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            lines = answers[cell.id].splitlines()
            cell.source = "\n".join(line for line in lines if not line.strip().startswith("### "))
    return released


def submit(course: Path) -> None:
    """Hand in the solution for ada, and one untouched stub for ben."""
    for student, language in EDITIONS.items():
        folder = course / "submitted" / student / ASSIGNMENT
        shutil.copytree(course / "release" / language / ASSIGNMENT, folder)
    (course / "submitted" / "ben" / ASSIGNMENT / "state_handoff.ipynb").unlink()
    for path in (course / "submitted" / "ada" / ASSIGNMENT).glob("*.ipynb"):
        source = nbformat.read(course / "source" / ASSIGNMENT / path.name, as_version=4)
        nbformat.write(solved(nbformat.read(path, as_version=4), source), path)


def grade(course: Path) -> dict[str, subprocess.CompletedProcess[str]]:
    """Walk through an instructor's commands; return what each of them said."""
    said = {"generate_assignment": nbgrader(course, "generate_assignment", ASSIGNMENT, "--force")}
    submit(course)
    said["validate"] = nbgrader(course, "validate", f"submitted/ben/{ASSIGNMENT}/exposed_time.ipynb")
    for words in (("autograde", ASSIGNMENT), ("generate_feedback", ASSIGNMENT), ("export",)):
        said[words[0]] = nbgrader(course, *words)
    return said
