"""nbval runs the executed solution editions against their stored outputs."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat

from tests.chapter.sitting import CHAPTER, ROOT

SOLUTIONS = ROOT / "notebooks" / CHAPTER / "solutions"
LANGUAGES = ("zh", "en")


def nbval(*paths: Path) -> subprocess.CompletedProcess[str]:
    """Run nbval on notebooks, in a pytest of its own. It compares texts; pictures differ between machines."""
    options = ["-p", "no:cacheprovider", "-o", "addopts=", "-q", "--nbval", "--nbval-cell-timeout=300"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *map(str, paths)],
        cwd=ROOT, capture_output=True, text=True, timeout=540, check=False,
    )  # fmt: skip


def code_cells(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def test_solution_editions_give_their_stored_outputs() -> None:
    paths = sorted(SOLUTIONS.glob("*/*.ipynb"))
    assert {path.parent.name for path in paths} == set(LANGUAGES) and len(paths) >= 4
    by_language = [[path for path in paths if path.parent.name == language] for language in LANGUAGES]
    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(lambda group: nbval(*group), by_language))
    for group, done in zip(by_language, runs, strict=True):
        cells = sum(len(code_cells(path)) for path in group)
        assert done.returncode == 0, done.stdout[-6000:]
        assert f"{cells} passed" in done.stdout.splitlines()[-1], "every code cell is run and compared"


def test_nbval_sees_a_stored_output_that_is_not_what_the_cell_prints(tmp_path: Path) -> None:
    notebook = nbformat.read(SOLUTIONS / "en" / "state_handoff.ipynb", as_version=4)
    last = next(index for index, cell in enumerate(notebook.cells) if cell.id == "same-bytes")
    notebook.cells = [
        cell for cell in notebook.cells[: last + 1] if cell.cell_type == "code" and cell.id != "setup"
    ]
    notebook.cells = [cell for cell in notebook.cells if "tools." not in cell.source]
    told = notebook.cells[-1].outputs[0]
    assert told.text.count("0 of 8 right") == 2
    told.text = told.text.replace("0 of 8 right", "8 of 8 right")
    nbformat.write(notebook, tmp_path / "altered.ipynb")
    done = nbval(tmp_path / "altered.ipynb")
    assert done.returncode == 1 and "1 failed" in done.stdout, done.stdout[-2000:]


def test_solution_editions_are_executed_in_order_with_pictures_and_no_stderr() -> None:
    for path in SOLUTIONS.glob("*/*.ipynb"):
        cells = code_cells(path)
        assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1)), path
        outputs = [output for cell in cells for output in cell.outputs]
        assert sum("image/png" in output.get("data", {}) for output in outputs) >= 4, path
        assert not [output for output in outputs if output.get("name") == "stderr"], path
        assert not [output for output in outputs if output.output_type == "error"], path


def test_solution_editions_say_the_same_in_both_languages() -> None:
    for path in (SOLUTIONS / "zh").glob("*.ipynb"):
        there, here = code_cells(path), code_cells(SOLUTIONS / "en" / path.name)
        assert [cell.source for cell in there] == [cell.source for cell in here]
        texts = [
            [[output.get("text", "") for output in cell.outputs] for cell in cells] for cells in (there, here)
        ]
        assert texts[0] == texts[1]
