"""A release notebook copied alone into an empty folder: pictures, the first TODO by name, no network."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from tests.chapter.sitting import CHAPTER, NOTEBOOK_OF, ROOT, source_of

FIRST_TODO = {"exposed_time": "TODO 1", "state_handoff": "TODO 3"}
WORKING_FOLDER = "overlap-course"
# Runs before the notebook's own cells: only the kernel's own sockets, which are open already, may be used.
NO_NETWORK = """
import socket
def refuse(*args, **kwargs):
    raise OSError("this notebook asked for the network")
socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
"""


def copy_alone(notebook: str, language: str, folder: Path) -> NotebookNode:
    """Read a release notebook as it lies in `folder`, where nothing else is."""
    path = folder / f"{notebook}.ipynb"
    path.write_bytes((ROOT / "release" / language / CHAPTER / path.name).read_bytes())
    return nbformat.read(path, as_version=4)


def run(notebook: NotebookNode, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Execute every cell in order with `folder` as the kernel's place and no way back to the repository."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    guard = nbformat.v4.new_code_cell(NO_NETWORK, id="no-network")
    where = nbformat.v4.new_code_cell("import tools.timeline; print(tools.timeline.__file__)", id="where")
    set_up = next(index for index, cell in enumerate(notebook.cells) if cell.id == "setup")
    notebook.cells[set_up + 1 : set_up + 1] = [where]
    notebook.cells.insert(0, guard)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()


def outputs(notebook: NotebookNode) -> list[tuple[str, NotebookNode]]:
    return [(cell.id, out) for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]


def pictures(notebook: NotebookNode) -> list[str]:
    return [name for name, out in outputs(notebook) if "image/png" in out.get("data", {})]


def printed(notebook: NotebookNode, stream: str) -> str:
    return "".join(out.text for _, out in outputs(notebook) if out.get("name") == stream)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", FIRST_TODO)
def test_it_runs_up_to_its_first_todo(
    name: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = copy_alone(name, language, tmp_path)
    with pytest.raises(CellExecutionError) as stopped:
        run(notebook, tmp_path, monkeypatch)
    assert stopped.value.ename == "NotImplementedError"
    assert stopped.value.evalue.startswith(FIRST_TODO[name])
    assert "还没有写 / not written yet" in stopped.value.evalue
    (stopped_in,) = [name for name, out in outputs(notebook) if out.output_type == "error"]
    assert stopped_in == f"todo{FIRST_TODO[name][-1]}-picture", "the first cell that calls the answer"
    assert pictures(notebook), "the pictures before the TODO are drawn"
    assert printed(notebook, "stderr") == ""
    assert str(tmp_path / WORKING_FOLDER / "tools" / "timeline.py") in printed(notebook, "stdout")


@pytest.mark.parametrize(("name", "language"), [("exposed_time", "en"), ("state_handoff", "zh")])
def test_with_the_answers_filled_in_it_runs_to_the_end(
    name: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = copy_alone(name, language, tmp_path)
    todos = [todo for todo in NOTEBOOK_OF if NOTEBOOK_OF[todo] == name]
    for cell in notebook.cells:
        if cell.id in todos:
            cell.source = source_of(cell.id)
    run(notebook, tmp_path, monkeypatch)
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code" and cell.source)
    drawn = pictures(notebook)
    assert len(drawn) == len(set(drawn)), "each picture is shown once"
    assert {"check-all-run", f"{todos[0].split('-')[0]}-picture", f"{todos[1].split('-')[0]}-picture"} <= set(
        drawn
    )
    said = printed(notebook, "stdout")
    for todo in todos:
        assert f"TODO {todo[4]}: passed" in said
    assert printed(notebook, "stderr") == ""
