"""Which module of the grader may import which: each only those before it, so there is no cycle."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import autograde

PACKAGE = Path(autograde.__file__).parent
ORDER = (
    "errors", "outcome", "limits", "processors", "environment", "atomic", "printable", "streams",
    "spreadsheet", "sanitize", "wording", "plain_data", "wire", "course", "lock", "watched", "unchanged",
    "intake", "decision", "sandbox", "student", "machine", "examiner", "warming", "executors",
    "lazy_executor",
    "gradebook", "record", "versions", "layout", "autograded", "grading", "assignment_notes", "releases",
    "roster", "exercises", "standing", "statistics", "charts", "templating", "feedback", "report", "progress",
    "nbgrader_plugin", "nbgrader_parts", "commands", "lean_nbgrader", "__main__",
)  # fmt: skip
ONLY = {"student": {"plain_data", "wire"}}  # what runs beside a student's code


def modules() -> dict[str, list[Path]]:
    """Return the top-level modules and packages, each with its files."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        found.setdefault(path.relative_to(PACKAGE).with_suffix("").parts[0], []).append(path)
    del found["__init__"]
    return found


def imported(path: Path) -> Iterator[str]:
    """Yield the top-level modules of ours that a file imports, in functions and for types too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}, line {node.lineno}: import by the full name"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("autograde."))


def test_every_module_has_its_place():
    assert sorted(modules()) == sorted(ORDER)


@pytest.mark.parametrize("module", ORDER)
def test_a_module_imports_only_earlier_ones(module):
    allowed = ONLY.get(module, set(ORDER[: ORDER.index(module)])) | {module}
    found = {name for path in modules()[module] for name in imported(path)}
    assert found <= allowed


def test_a_command_does_not_import_another():
    commands = {path.stem for path in (PACKAGE / "commands").glob("*.py")} - {"__init__", "engine", "naming"}
    for command in commands:
        tree = ast.parse((PACKAGE / "commands" / f"{command}.py").read_text(encoding="utf-8"))
        found = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not found & {f"autograde.commands.{other}" for other in commands}


LEAN = """
import sys
from autograde import lean_nbgrader
finders = list(sys.meta_path)
lean_nbgrader.install()
import nbgrader
extension = "nbgrader.server_extensions.formgrader"
assert extension not in sys.modules
assert sys.meta_path[-len(finders):] == finders and not any("lean" in str(each) for each in sys.meta_path)
assert nbgrader.__spec__.loader is nbgrader.__loader__ and nbgrader.__loader__.get_filename()
import nbgrader.server_extensions.formgrader
assert sys.modules[extension].__file__
"""


def test_nbgraders_server_extensions_are_imported_by_those_who_want_them_only():
    done = subprocess.run([sys.executable, "-c", LEAN], capture_output=True, text=True, cwd=PACKAGE.parent)
    assert done.stderr == ""
    assert done.returncode == 0
