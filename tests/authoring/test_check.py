"""The checks, checked: each goes red on a copy of the course with one thing broken, and names it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.authoring.conftest import MASTER, ROOT
from tools.authoring import check
from tools.authoring.__main__ import main

CHAPTER = "03_serving_overlap"
MASTERS = f"notebooks/{CHAPTER}"


def alter(path: Path, old: str, new: str) -> None:
    """Replace the first occurrence of a text that must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {path}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def run(command: str, course: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.chdir(course)
    monkeypatch.setattr("sys.argv", ["tools.authoring", command])
    return main()


def test_the_committed_course_is_in_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status = run("check", ROOT, monkeypatch)
    said = capsys.readouterr().out
    assert status == 0, said
    assert said == "course files: no drift, pairs complete, terms and links in order\n"


def test_one_byte_in_any_generated_file_fails_the_check(course: Path) -> None:
    """Through the command itself: exit status 1, and each file is named with what to do."""
    broken = [
        f"source/{CHAPTER}/exposed_time.ipynb",
        f"release/zh/{CHAPTER}/exposed_time.ipynb",
        f"release/en/{CHAPTER}/state_handoff.ipynb",
        f"{MASTERS}/cuda_streams.en.ipynb",
        f"{MASTERS}/solutions/zh/state_handoff.ipynb",
    ]
    for name in broken:
        path = course / name
        content = path.read_bytes()
        place = content.index(b"def ") if b"def " in content else content.index(b"import ")
        path.write_bytes(content[:place] + b"D" + content[place + 1 :])
    gone, stray = f"release/en/{CHAPTER}/exposed_time.ipynb", f"release/zh/{CHAPTER}/notes.txt"
    (course / gone).unlink()
    (course / stray).write_text("not generated\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tools.authoring", "check"],
        cwd=course, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and done.stderr == ""
    lines = [line for line in done.stdout.splitlines() if "run make build" in line]
    assert sorted(line.split(":")[0] for line in lines) == sorted([*broken, gone, stray])


def test_one_byte_in_a_master_fails_the_check(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = set(check.problems(course))
    alter(course / MASTERS / "state_handoff.py", "def submit(self, source,", "def submit(self, sourcE,")
    found = [line.split(":")[0] for line in check.problems(course) if line not in before]
    assert sorted(found) == sorted(
        [
            f"source/{CHAPTER}/state_handoff.ipynb",
            f"release/zh/{CHAPTER}/state_handoff.ipynb",
            f"release/en/{CHAPTER}/state_handoff.ipynb",
            f"{MASTERS}/solutions/zh/state_handoff.ipynb",
            f"{MASTERS}/solutions/en/state_handoff.ipynb",
        ]
    )


def test_a_helper_that_changed_makes_the_notebooks_that_carry_it_stale(course: Path) -> None:
    before = set(check.problems(course))
    alter(course / "tools" / "progress.py", "not written yet", "still open")
    found = {line.split(":")[0] for line in check.problems(course) if line not in before}
    assert f"release/en/{CHAPTER}/exposed_time.ipynb" in found
    assert f"source/{CHAPTER}/state_handoff.ipynb" in found


def test_build_repairs_what_check_finds_and_then_has_nothing_to_do(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"release/en/{CHAPTER}/exposed_time.ipynb"
    stray = course / "release" / "zh" / CHAPTER / "notes.txt"
    original = (course / name).read_bytes()
    (course / name).write_bytes(original.replace(b"import ", b"imporT ", 1))
    stray.write_text("not generated\n", encoding="utf-8")
    alter(course / "README.md", "<!-- chapters:begin -->\n|", "<!-- chapters:begin -->\nold\n|")
    assert run("build", course, monkeypatch) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [f"wrote {name}", f"wrote release/zh/{CHAPTER}/notes.txt", "wrote README.md"]
    assert (course / name).read_bytes() == original and not stray.exists()
    assert run("build", course, monkeypatch) == 0
    assert capsys.readouterr().out == "everything was up to date\n"


FLAWS = {
    "long prose": (
        "# 讲讲截止时间。",
        "# 讲讲截止时间。\n" + "# 又一行。\n" * 7,
        "01_tiny/tiny: cell title-zh has 9 lines; split it (at most 6)",
    ),
    "one very long line": (
        "# The end.",
        "# " + "The end is near. " * 50,
        "01_tiny/tiny: cell last-en has 8 lines; split it (at most 6)",
    ),
    "long code": (
        'print("demo")',
        'print("demo")\n' * 16,
        "01_tiny/tiny: cell demo has 16 lines; split it (at most 15)",
    ),
    "term without its partner": (
        "# A word about the deadline.",
        "# A word about time.",
        "01_tiny/tiny: title-zh says '截止时间', its partner never says 'deadline'",
    ),
    "word to avoid in zh": (
        "# 完。",
        "# 完，死线到了。",
        "01_tiny/tiny: pair last-zh says '死线'; glossary.csv: 截止时间 / deadline",
    ),
    "word to avoid in en": (
        "# The end.",
        "# The end, and its Dead Line.",
        "01_tiny/tiny: pair last-zh says 'dead line'; glossary.csv: 截止时间 / deadline",
    ),
    "more lines promised than are missing": (
        "约 1 行 / about 1 line",
        "约 4 行 / about 4 lines",
        "01_tiny/tiny: cell todo1-answer promises about 4 lines, its solution has 1",
    ),
    "early link to the solutions": (
        "# # Tiny",
        "# # Tiny, and its answer in `solutions/en/`",
        "01_tiny/tiny: cell title-en links to the solutions before the last cell",
    ),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_in_a_master_is_one_line(flaw: str, tiny: Callable[[str], Path]) -> None:
    old, new, line = FLAWS[flaw]
    root = tiny(MASTER)
    before = check.problems(root)
    alter(root / "notebooks" / "01_tiny" / "tiny.py", old, new)
    assert [found for found in check.problems(root) if found not in before] == [line]


def test_the_last_cell_may_link_to_the_solutions(tiny: Callable[[str], Path]) -> None:
    before = check.problems(tiny(MASTER))
    assert check.problems(tiny(MASTER.replace("# The end.", "# The end: see `solutions/en/`."))) == before


def test_links_the_readme_table_and_its_length(course: Path) -> None:
    before = set(check.problems(course))
    readme = course / "README.md"
    alter(course / MASTERS / "chapter.toml", "minutes = 60", "minutes = 61")
    lines = readme.read_text(encoding="utf-8").splitlines()
    more = ["[gone](no/such/page.md) [odd](ftp://example.org/x) [fine](LICENSE) [web](https://example.org/x)"]
    more += [""] * (151 - len(lines) - 1)
    readme.write_text("\n".join([*lines, *more]) + "\n", encoding="utf-8")
    (course / "LICENSE").touch()
    page = course / "results" / "notes.md"
    page.parent.mkdir()
    page.write_text("[up](../README.md#part) [lost](lost.json)\n", encoding="utf-8")
    found = [line for line in check.problems(course) if line not in before and "make build (" not in line]
    assert sorted(line for line in found if "older than" not in line) == sorted(
        [
            "README.md: link no/such/page.md leads nowhere",
            "README.md: link ftp://example.org/x leads nowhere",
            "README.md: the chapter table is out of date; run make build",
            "README.md: 151 lines; at most 150",
            "results/notes.md: link lost.json leads nowhere",
        ]
    )
