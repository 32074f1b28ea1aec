"""What `make check` checks of the course: drift, pairs, terms, lengths, links, the README's table."""

import re
import tempfile
from pathlib import Path

import nbformat

from tools.authoring import editions, readme
from tools.authoring.masters import LANGUAGES, MasterError, read_chapters, read_master
from tools.authoring.prose import prose_problems, read_glossary

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_REGION = re.compile(
    r"# TODO \d+\w? · .*?(\d+) (?:lines?|行).*?### BEGIN SOLUTION\n(.*?)\s*### END SOLUTION", re.DOTALL
)


def problems(root: Path) -> list[str]:
    """Return one line for each thing that is wrong with the course's files; empty if all is well."""
    try:
        return [
            *drift(root), *_solution_drift(root), *_masters(root), *_links(root), *readme.problems(root)
        ]  # fmt: skip
    except MasterError as problem:
        return [str(problem)]


def drift(root: Path) -> list[str]:
    """Compare the committed editions with what their masters give now, byte by byte."""
    with tempfile.TemporaryDirectory() as scratch:
        editions.build_tree(root, Path(scratch))
        new = editions.generated_files(Path(scratch))
    old = editions.generated_files(root)
    return [
        f"{name}: differs from what its master gives; run make build (never edit it by hand)"
        for name in sorted(new.keys() | old.keys())
        if new.get(name) != old.get(name)
    ]


def _solution_drift(root: Path) -> list[str]:
    found = []
    for chapter in read_chapters(root):
        for name in chapter.graded():
            for language in LANGUAGES:
                path = chapter.folder / "solutions" / language / f"{name}.ipynb"
                wanted = editions.sources(editions.solution_notebook(root, chapter, name, language))
                if not path.exists() or editions.sources(nbformat.read(path, as_version=4)) != wanted:
                    found.append(f"{path.relative_to(root)}: older than its master; run make build")
    return found


def _masters(root: Path) -> list[str]:
    glossary = read_glossary(root / "notebooks" / "glossary.csv")
    found = []
    for chapter in read_chapters(root):
        for entry in chapter.settings["notebook"]:
            name = f"{chapter.name}/{entry['name']}"
            notebook = read_master(root, chapter, entry["name"])
            found.extend(prose_problems(name, notebook, glossary))
            for cell in notebook.cells:
                found.extend(f"{name}: cell {cell.id} {text}" for text in _promise_problems(cell.source))
            for cell in notebook.cells[:-2]:  # the last cell is a pair
                if "solutions/" in cell.source and "solution" not in cell.metadata.get("tags", ()):
                    found.append(f"{name}: cell {cell.id} links to the solutions before the last cell")
    return found


def _promise_problems(source: str) -> list[str]:
    """A stub says about how many lines are missing: the reference answer must agree."""
    found = []
    for promised, body in _REGION.findall(source):
        lines = len([line for line in body.splitlines() if line.strip()])
        if abs(lines - int(promised)) > 1:
            found.append(f"promises about {promised} lines, its solution has {lines}")
    return found


def _links(root: Path) -> list[str]:
    pages = [*root.glob("*.md"), *root.glob("autograde/*.md"), *root.glob("results/*.md")]
    texts = [(page, page.read_text(encoding="utf-8")) for page in pages]
    for page in [
        *root.glob("release/*/*/*.ipynb"),
        *root.glob("notebooks/*/*.ipynb"),
        *root.glob("notebooks/*/solutions/*/*.ipynb"),
    ]:
        cells = nbformat.read(page, as_version=4).cells
        texts.extend((page, cell.source) for cell in cells if cell.cell_type == "markdown")
    found = []
    for page, text in texts:
        for link in _LINK.findall(text):
            target = link.split("#")[0]
            if not target or re.match(r"https://[\w.-]+\.\w+(/|$)", target):
                continue
            if ":" in target or not (page.parent / target).exists():
                found.append(f"{page.relative_to(root)}: link {link} leads nowhere")
    return found
