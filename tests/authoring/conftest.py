"""A copy of the course to break, and small masters to build."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("notebooks", "source", "release", "tools")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of what the authoring tools build from and write; tests may break it."""
    copy = tmp_path / "course"
    ignore = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignore)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, copy / path.name)
    return copy


CHAPTER = """\
semantic_id = "TINY"

[title]
zh = "小章"
en = "Tiny"

[[notebook]]
name = "tiny"
graded = true
minutes = 5
gpu = false
summary = "nothing much"
difficulty = { zh = "易", en = "easy" }
prerequisites = { zh = "无", en = "none" }
"""

MASTER = """\
# %% [markdown] key="title" lang="zh"
# # 小题
# 讲讲截止时间。

# %% [markdown] key="title" lang="en"
# # Tiny
# A word about the deadline.

# %% [markdown] key="header" header=true

# %% key="setup" helpers=["tools/project_runtime.py"]

# %% key="demo"
print("demo")

# %% grade_id="todo1-answer" solution=true
def answer():
    # TODO 1 · 约 1 行 / about 1 line: 答案 / the answer
    ### BEGIN SOLUTION
    return 42
    ### END SOLUTION

# %% grade_id="todo1-answer-test-visible" points=5
assert answer() > 0, "正数 / a positive number"
### BEGIN HIDDEN TESTS
assert answer() == 42, "正好 / exactly that"
### END HIDDEN TESTS

# %% [markdown] key="last" lang="zh"
# 完。

# %% [markdown] key="last" lang="en"
# The end.
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Callable[[str], Path]:
    """Write a course of one small chapter around a master's text, and return its root."""

    def write(master: str = MASTER) -> Path:
        root = tmp_path / "tiny"
        chapter = root / "notebooks" / "01_tiny"
        chapter.mkdir(parents=True, exist_ok=True)
        (chapter / "chapter.toml").write_text(CHAPTER, encoding="utf-8")
        (chapter / "tiny.py").write_text(master, encoding="utf-8")
        (root / "notebooks" / "glossary.csv").write_text(
            "zh,en,avoid\n截止时间,deadline,死线|dead line\n", encoding="utf-8"
        )
        (root / "pyproject.toml").write_text('[tool.course]\nrepository = ""\n', encoding="utf-8")
        (root / "README.md").write_text("<!-- chapters:begin -->\n<!-- chapters:end -->\n", encoding="utf-8")
        (root / ".course-root").touch()
        shutil.copytree(
            ROOT / "tools", root / "tools", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
        )
        return root

    return write
