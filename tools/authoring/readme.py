"""The README's chapter table: generated from ``chapter.toml``, checked with everything else."""

import re
from pathlib import Path

from tools.authoring.masters import LANGUAGES, read_chapters, read_master

MAX_LINES = 150
_TABLE = re.compile(r"(<!-- chapters:begin -->\n).*?(<!-- chapters:end -->)", re.DOTALL)


def chapter_table(root: Path) -> str:
    """Return the chapter table in Markdown."""
    rows = ["| chapter | notebook | what you learn | minutes | points | GPU |", "|---|---|---|---|---|---|"]
    for chapter in read_chapters(root):
        for entry in chapter.settings["notebook"]:
            name = entry["name"]
            cells = read_master(root, chapter, name).cells
            points = sum(cell.metadata.get("nbgrader", {}).get("points", 0) for cell in cells)
            zh, en = (chapter.edition(name, language) for language in LANGUAGES)
            links = f"`{name}` [中文]({zh}) · [English]({en})"
            gpu = "optional" if entry["gpu"] else "no"
            row = (chapter.name, links, entry["summary"], entry["minutes"], points or "—", gpu)
            rows.append("| " + " | ".join(map(str, row)) + " |")
    return "\n".join(rows) + "\n"


def update(root: Path) -> bool:
    """Write the table into the README; return whether it changed."""
    path = root / "README.md"
    text = path.read_text(encoding="utf-8")
    new = _TABLE.sub(lambda match: match[1] + chapter_table(root) + match[2], text)
    if new != text:
        path.write_text(new, encoding="utf-8")
    return new != text


def problems(root: Path) -> list[str]:
    """Return what is wrong with the README's table and length."""
    text = (root / "README.md").read_text(encoding="utf-8")
    found = []
    match = _TABLE.search(text)
    if match is None or chapter_table(root) not in match[0]:
        found.append("README.md: the chapter table is out of date; run make build")
    if len(text.splitlines()) > MAX_LINES:
        found.append(f"README.md: {len(text.splitlines())} lines; at most {MAX_LINES}")
    return found
