"""Committed editions are what their masters give: to the byte, without answers, alike in both languages."""

import re

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.utils import compute_checksum

from tests.authoring.conftest import ROOT
from tools.authoring import editions
from tools.authoring.masters import LANGUAGES, read_chapters, read_master

GRADED = [(chapter.name, name) for chapter in read_chapters(ROOT) for name in chapter.graded()]
UNGRADED = [(chapter.name, name) for chapter in read_chapters(ROOT) for name in chapter.ungraded()]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, bytes]]:
    """Two builds of the same masters, in different folders."""
    trees = []
    for _ in range(2):
        folder = tmp_path_factory.mktemp("built")
        editions.build_tree(ROOT, folder)
        trees.append(editions.generated_files(folder))
    return trees


def read(path: str) -> NotebookNode:
    return nbformat.read(ROOT / path, as_version=4)


def source(chapter: str, name: str) -> NotebookNode:
    return read(f"source/{chapter}/{name}.ipynb")


def release(language: str, chapter: str, name: str) -> NotebookNode:
    return read(f"release/{language}/{chapter}/{name}.ipynb")


def code(notebook: NotebookNode) -> dict[str, str]:
    return {cell.id: cell.source for cell in notebook.cells if cell.cell_type == "code"}


def significant(text: str) -> set[str]:
    """Lines that say something: blank lines and lone brackets are in every cell."""
    return {line.strip() for line in text.splitlines() if len(line.strip()) > 3}


REGION = re.compile(r"### BEGIN (SOLUTION|HIDDEN TESTS)\n(.*?)### END \1", re.DOTALL)


def secrets(notebook: NotebookNode, kind: str) -> set[str]:
    """Lines inside marked regions that stand nowhere outside of one."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    inside = "\n".join(body for text in cells for marked, body in REGION.findall(text) if marked == kind)
    outside = "\n".join(REGION.sub("", text) for text in cells)
    return significant(inside) - significant(outside)


def test_a_rebuild_is_byte_identical(built: list[dict[str, bytes]]) -> None:
    assert built[0] == built[1]
    assert len(built[0]) == 3 * len(GRADED) + 2 * len(UNGRADED)


def test_the_committed_editions_are_the_built_ones(built: list[dict[str, bytes]]) -> None:
    committed = editions.generated_files(ROOT)
    assert sorted(committed) == sorted(built[0])
    assert [name for name in committed if committed[name] != built[0][name]] == []


@pytest.mark.parametrize(("chapter", "name"), GRADED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_release_has_no_solution_and_no_hidden_test(language: str, chapter: str, name: str) -> None:
    instructor, released = source(chapter, name), release(language, chapter, name)
    shown = significant("\n".join(cell.source for cell in released.cells))
    for kind in ("SOLUTION", "HIDDEN TESTS"):
        hidden = secrets(instructor, kind)
        assert len(hidden) >= 3 and hidden & shown == set()
    text = nbformat.writes(released)
    for marker in ("BEGIN SOLUTION", "END SOLUTION", "BEGIN HIDDEN", "END HIDDEN"):
        assert marker not in text


@pytest.mark.parametrize(("chapter", "name"), GRADED)
def test_both_languages_are_one_assignment(chapter: str, name: str) -> None:
    """Same code, same graded cells, same nbgrader checksums: one gradebook entry serves both."""
    zh, en = (release(language, chapter, name) for language in LANGUAGES)
    assert code(zh) == code(en)
    managed = [[cell for cell in notebook.cells if "nbgrader" in cell.metadata] for notebook in (zh, en)]
    assert [cell.id for cell in managed[0]] == [cell.id for cell in managed[1]]
    for left, right in zip(*managed, strict=True):
        assert left.metadata.nbgrader.checksum == right.metadata.nbgrader.checksum == compute_checksum(left)
        assert "tags" not in left.metadata and "tags" not in right.metadata
    assert len(managed[0]) >= 8


@pytest.mark.parametrize(("chapter", "name"), UNGRADED)
def test_ungraded_notebooks_have_one_set_of_code_too(chapter: str, name: str) -> None:
    zh, en = (read(f"notebooks/{chapter}/{name}.{language}.ipynb") for language in LANGUAGES)
    assert code(zh) == code(en) and code(zh)


@pytest.mark.parametrize(("chapter", "name"), [*GRADED, *UNGRADED])
def test_every_zh_cell_has_its_en_partner(chapter: str, name: str) -> None:
    owner = next(found for found in read_chapters(ROOT) if found.name == chapter)
    prose = [cell for cell in read_master(ROOT, owner, name).cells if cell.cell_type == "markdown"]
    zh = [cell.id.removesuffix("-zh") for cell in prose if cell.metadata.tags[0] == "zh"]
    en = [cell.id.removesuffix("-en") for cell in prose if cell.metadata.tags[0] == "en"]
    assert zh == en and len(zh) > 15
    for cell in prose:
        chinese = any("\u4e00" <= character <= "\u9fff" for character in cell.source)
        assert chinese == (cell.metadata.tags[0] == "zh"), f"{cell.id} is in the other language"


@pytest.mark.parametrize("tree", ["source", "release"])
def test_no_outputs_and_no_execution_counts(tree: str) -> None:
    paths = sorted((ROOT / tree).rglob("*.ipynb"))
    assert paths
    for path in paths:
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                assert cell.outputs == [] and cell.execution_count is None, f"{path}: {cell.id}"


@pytest.mark.parametrize(("chapter", "name"), GRADED)
def test_each_stub_names_its_todo_once_for_each_gap(chapter: str, name: str) -> None:
    instructor = {cell.id: cell.source for cell in source(chapter, name).cells}
    cells = release("en", chapter, name).cells
    stubs = [cell for cell in cells if cell.metadata.get("nbgrader", {}).get("solution")]
    assert len(stubs) == 2
    for cell in stubs:
        gaps = instructor[cell.id].count("### BEGIN SOLUTION")
        assert cell.source.count(f'raise NotImplementedError("TODO {cell.id[4]}') == gaps > 0
        assert cell.source.count("about") >= gaps and cell.source.count("约") >= gaps, "says how many lines"


@pytest.mark.parametrize(("chapter", "name"), GRADED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_solution_editions_hold_answers_and_no_hidden_tests(language: str, chapter: str, name: str) -> None:
    notebook = read(f"notebooks/{chapter}/solutions/{language}/{name}.ipynb")
    text = "\n".join(cell.source for cell in notebook.cells)
    hidden = secrets(source(chapter, name), "HIDDEN TESTS")
    assert len(hidden) > 20 and hidden & significant(text) == set()
    assert secrets(source(chapter, name), "SOLUTION") <= significant(text), "the answers are there"
    for marker in ("BEGIN SOLUTION", "BEGIN HIDDEN", "raise NotImplementedError"):
        assert marker not in text
    assert not [cell.id for cell in notebook.cells if "nbgrader" in cell.metadata]
    explained = [cell.id for cell in notebook.cells if "solution" in cell.metadata.get("tags", ())]
    assert len(explained) >= 2, "each TODO is explained"


def test_committed_files_are_utf8_with_one_final_newline() -> None:
    for name, content in editions.generated_files(ROOT).items():
        assert content.decode("utf-8").endswith("}\n") and b"\r" not in content, name
