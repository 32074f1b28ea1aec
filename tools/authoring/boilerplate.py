"""The cells that the build writes itself: set-up code, header tables, badges."""

from pathlib import Path
from typing import Any

from tools.project_runtime import MARKER, WORKING_FOLDER

_SET_UP = """\
# @title 准备：先运行我 · Set-up: run me first {{display-mode: "form"}}
# Uses the repository's helpers if the notebook lies inside it; otherwise writes them beside the notebook.
import sys
from pathlib import Path

HELPERS = {{
{helpers}}}


def set_up(here):
    root = next((folder for folder in (here, *here.parents) if (folder / {marker!r}).is_file()), None)
    if root is None:
        root = here / {folder!r}
        for name, text in HELPERS.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        (root / {marker!r}).write_text("Written by a notebook that was opened alone.\\n", encoding="utf-8")
    sys.path.insert(0, str(root))
    return root


COURSE_ROOT = set_up(Path.cwd())"""
SET_UP_IN_REPOSITORY = f"""\
# Solution editions lie in the repository and use its helpers.
import sys
from pathlib import Path

COURSE_ROOT = next(folder for folder in Path.cwd().parents if (folder / {MARKER!r}).is_file())
sys.path.insert(0, str(COURSE_ROOT))"""


def set_up_code(root: Path, helpers: list[str]) -> str:
    """Return the code of a set-up cell that carries the given files.

    Args:
        root: The repository's root.
        helpers: Paths of the files, relative to the root.

    Raises:
        ValueError: If a file cannot be written as a raw string.
    """
    entries = []
    for name in helpers:
        text = (root / name).read_text(encoding="utf-8")
        if "'''" in text or text.endswith("\\"):
            raise ValueError(f"{name} is inlined in notebooks: it must not contain three single quotes")
        entries.append(f"{name!r}: r'''{text}''',\n")
    return _SET_UP.format(helpers="".join(entries), marker=MARKER, folder=WORKING_FOLDER)


_HEADER = {
    "zh": ("时间", "分值", "难度", "需要 GPU？", "先修", "{} 分钟", "{:g} 分", "不计分", "不需要", "可选"),
    "en": (
        "Time", "Points", "Level", "GPU?", "Prerequisites", "{} min", "{:g}", "ungraded", "no", "optional"
    ),
}  # fmt: skip


_RUN_ALL = {
    "zh": "全部运行之后，往上翻到第一处报错：它的最后一行会告诉你，接下来该写哪个 TODO。",
    "en": "After Run All, scroll up to the first error: its last line names the TODO that comes next.",
}


def header_table(entry: dict[str, Any], points: float, language: str) -> str:
    """Return the header table of a notebook: minutes, points, difficulty, GPU, prerequisites."""
    time, score, difficulty, gpu, before, minutes, value, ungraded, no, optional = _HEADER[language]
    row = (
        minutes.format(entry["minutes"]),
        value.format(points) if points else ungraded,
        entry["difficulty"][language],
        optional if entry["gpu"] else no,
        entry["prerequisites"][language],
    )
    heads = (time, score, difficulty, gpu, before)
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in (heads, ["---"] * len(heads), row))
    return f"{table}\n\n{_RUN_ALL[language]}" if points else table


def badges(repository: str, path: str) -> str:
    """Return links that open a notebook on the free platforms.

    Args:
        repository: ``OWNER/REPO/BRANCH``.
        path: The notebook's path in the repository.
    """
    owner, repo, branch = repository.split("/", 2)
    blob = f"{owner}/{repo}/blob/{branch}/{path}"
    links = {
        "ModelScope": f"https://modelscope.cn/notebook/share/github/{blob}",
        "Colab": f"https://colab.research.google.com/github/{blob}",
        "Kaggle": f"https://kaggle.com/kernels/welcome?src=https://github.com/{blob}",
        "Binder (CPU)": f"https://mybinder.org/v2/gh/{owner}/{repo}/{branch}?labpath={path}",
    }
    return " · ".join(f"[{name}]({link})" for name, link in links.items())
