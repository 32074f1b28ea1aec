"""Make the editions of a chapter: source, release in each language, ungraded notebooks, solutions."""

import shutil
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearHiddenTests
from traitlets.config import Config

from tools.authoring import boilerplate
from tools.authoring.masters import LANGUAGES, Chapter, read_chapters, read_master
from tools.authoring.preprocessors import SelectLanguage, configure_release

EXECUTION_TIMEOUT_S = 300


def build_tree(root: Path, target: Path) -> None:
    """Write every generated notebook that is not executed below `target`.

    Args:
        root: The repository's root, which is only read.
        target: An empty folder; gets ``source/``, ``release/{zh,en}/`` and ``notebooks/``.

    Raises:
        MasterError: If a master cannot be built.
    """
    for chapter in read_chapters(root):
        for name in chapter.graded():
            _write(target / "source" / chapter.name / f"{name}.ipynb", read_master(root, chapter, name))
        for name in chapter.ungraded():
            master = read_master(root, chapter, name)
            for language in LANGUAGES:
                edition, _ = SelectLanguage(language=language).preprocess(_copy(master), {})
                _write(target / "notebooks" / chapter.name / f"{name}.{language}.ipynb", edition)
        for language in LANGUAGES:
            _release(target, chapter.name, language)


def _release(target: Path, assignment: str, language: str) -> None:
    """Run nbgrader's own generate step with this course's preprocessors, without a gradebook."""
    config = Config()
    configure_release(config)
    config.SelectLanguage.language = language
    config.SaveCells.enabled = False
    config.GenerateAssignment.no_database = True
    config.CourseDirectory.root = str(target)
    config.CourseDirectory.release_directory = f"release/{language}"
    config.CourseDirectory.assignment_id = assignment
    converter = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config)
    converter.log.setLevel("ERROR")
    converter.start()
    for path in (target / "release" / language / assignment).glob("*.ipynb"):
        _write(path, nbformat.read(path, as_version=4))


def solution_notebook(root: Path, chapter: Chapter, name: str, language: str) -> NotebookNode:
    """Return a solution edition that has not been executed: answers, explanations, no hidden tests."""
    notebook = read_master(root, chapter, name)
    other = {*LANGUAGES, "release"} - {language}
    notebook.cells = [cell for cell in notebook.cells if not other & set(cell.metadata.get("tags", ()))]
    clear = ClearHiddenTests()
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if "set-up" in cell.metadata.get("tags", ()):
            cell.source = boilerplate.SET_UP_IN_REPOSITORY
            continue
        if cell.metadata.get("nbgrader", {}).get("grade"):
            clear.preprocess_cell(cell, {}, 0)
        lines = cell.source.splitlines()
        cell.source = "\n".join(
            line for line in lines if "### BEGIN SOLUTION" not in line and "### END SOLUTION" not in line
        )
        cell.metadata.pop("nbgrader", None)
    return notebook


def build_solutions(root: Path, target: Path) -> list[Path]:
    """Execute the solution editions whose cells changed, and return their paths.

    Args:
        root: The repository's root: helpers are imported from there.
        target: Where ``notebooks/CHAPTER/solutions/{zh,en}/`` lies.
    """
    written = []
    for chapter in read_chapters(root):
        for name in chapter.graded():
            for language in LANGUAGES:
                path = target / "notebooks" / chapter.name / "solutions" / language / f"{name}.ipynb"
                notebook = solution_notebook(root, chapter, name, language)
                if path.exists() and sources(nbformat.read(path, as_version=4)) == sources(notebook):
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                NotebookClient(
                    notebook,
                    timeout=EXECUTION_TIMEOUT_S,
                    record_timing=False,
                    extra_arguments=["--log-level=ERROR"],  # the kernel's own remarks say nothing here
                    resources={"metadata": {"path": str(path.parent)}},
                ).execute()
                notebook.metadata.language_info = {"name": "python"}
                _write(path, notebook)
                written.append(path)
    return written


def sources(notebook: NotebookNode) -> list[tuple[str, str, str]]:
    """Return what a build decides of a notebook: each cell's id, type and text."""
    return [(cell.id, cell.cell_type, cell.source) for cell in notebook.cells]


def generated_files(tree: Path) -> dict[str, bytes]:
    """Return the generated, unexecuted notebooks of a tree: relative path -> content."""
    found = [*tree.glob("source/**/*"), *tree.glob("release/**/*"), *tree.glob("notebooks/*/*.ipynb")]
    return {str(path.relative_to(tree)): path.read_bytes() for path in sorted(found) if path.is_file()}


def install(built: Path, root: Path) -> list[str]:
    """Replace the repository's generated files with freshly built ones; return the paths that changed."""
    new, old = generated_files(built), generated_files(root)
    changed = sorted(name for name in new.keys() | old.keys() if new.get(name) != old.get(name))
    for name in changed:
        if name not in new:
            (root / name).unlink()
            continue
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(built / name, root / name)
    return changed


def _copy(notebook: NotebookNode) -> NotebookNode:
    return nbformat.reads(nbformat.writes(notebook), as_version=4)


def _write(path: Path, notebook: NotebookNode) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
