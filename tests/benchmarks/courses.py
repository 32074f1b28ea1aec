"""Make a course with a class of honest submissions of chapter 03, of any size."""

import json
import shutil
from pathlib import Path

from tools.demo.sample_class import ASSIGNMENT, CLASS, Student, submission_files
from tools.project_runtime import resolve_project_root

HEAVY_IMPORT = "import torch, matplotlib.pyplot\n"
# An endless loop measures a limit and a broken file measures intake: neither is grading.
_TIMED = [
    student
    for student in CLASS
    if student.student_id not in {"nils", "olga", "pia", "quan", "rosa", "sven", "tao", "mona"}
]


def make_course(folder: Path, size: int, *, heavy: bool) -> Path:
    """Write a course of `size` submissions, half right and half wrong in typical ways.

    Args:
        folder: Where to write; must not exist.
        size: Number of submissions.
        heavy: Import torch and matplotlib in the first cell of every notebook.

    Returns:
        The folder.
    """
    root = resolve_project_root(Path(__file__))
    shutil.copytree(root / "source", folder / "source")
    (folder / "nbgrader_config.py").write_text("c = get_config()\n", encoding="utf-8")
    if heavy:
        for path in (folder / "source" / ASSIGNMENT).glob("*.ipynb"):
            path.write_bytes(_with_heavy_import(path.read_bytes()))
    handed_in = [_heavy_files(student, root, heavy) for student in _TIMED]
    for number in range(size):
        target = folder / "submitted" / f"s{number:05}" / ASSIGNMENT
        target.mkdir(parents=True)
        for name, content in handed_in[number % len(handed_in)].items():
            (target / name).write_bytes(content)
    return folder


def _heavy_files(student: Student, root: Path, heavy: bool) -> dict[str, bytes]:
    files = submission_files(student, root / "release")
    return {name: _with_heavy_import(content) if heavy else content for name, content in files.items()}


def _with_heavy_import(content: bytes) -> bytes:
    notebook = json.loads(content)
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = HEAVY_IMPORT + "".join(first["source"])
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode()
