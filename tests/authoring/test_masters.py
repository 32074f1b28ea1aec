"""What a master may say, and the one clear line that a mistake gets."""

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from tests.authoring.conftest import CHAPTER, MASTER
from tools.authoring import editions
from tools.authoring.__main__ import main
from tools.authoring.masters import MasterError, read_chapters, read_master, read_repository

Tiny = Callable[[str], Path]
HELPERS = 'helpers=["tools/project_runtime.py"]'
ANSWER = 'grade_id="todo1-answer" solution=true'

MISTAKES = {
    "unknown setting": ('key="demo"', 'key="demo" colour="red"', "unknown setting colour: known are"),
    "setting that cannot be read": ('key="demo"', 'key=demo"', "unknown setting"),
    "no key": ('# %% key="demo"', "# %%", "each cell needs a key"),
    "key with spaces": ('key="demo"', 'key="De mo"', "each cell needs a key"),
    "key used twice": ('key="demo"', 'key="setup"', "these cell keys are used twice: setup"),
    "missing partner": (
        '# %% [markdown] key="last" lang="en"\n# The end.\n',
        "",
        "last-zh is not followed by its partner last-en",
    ),
    "partner of another key": (
        'key="last" lang="en"',
        'key="end" lang="en"',
        "not followed by its partner last-en",
    ),
    "partner first": ('key="last" lang="zh"', 'key="last2" lang="en"', "not followed by its partner"),
    "unknown language": ('key="last" lang="zh"', 'key="last" lang="fr"', "needs lang='zh' or lang='en'"),
    "no language": ('key="last" lang="zh"', 'key="last"', "needs lang='zh' or lang='en'"),
    "editions differ": (
        '"last" lang="zh"',
        '"last" lang="zh" edition="solution"',
        "belong to different editions",
    ),
    "unknown edition": ('"last" lang="zh"', '"last" lang="zh" edition="secret"', "unknown edition 'secret'"),
    "language on an answer": (ANSWER, f'{ANSWER} lang="zh"', "it takes no lang"),
    "edition on an answer": (ANSWER, f'{ANSWER} edition="solution"', "it takes no lang"),
    "neither answer nor test": (
        ANSWER,
        'grade_id="todo1-answer"',
        "needs solution=true, points=N or locked=true",
    ),
    "grade_id with a space": ("todo1-answer-test", "todo1 answer-test", "a grade_id has lower-case letters"),
    "points in words": ("points=5", 'points="five"', "points is 'five': give a number above 0"),
    "points below zero": ("points=5", "points=-5", "points is -5: give a number above 0"),
    "points are a flag": ("points=5", "points=true", "points is True: give a number above 0"),
    "helper that is not there": (HELPERS, 'helpers=["tools/nowhere.py"]', "tools/nowhere.py"),
    "helpers not a list": (HELPERS, 'helpers="tools/timeline.py"', "give a list of paths"),
    "helper with three quotes": (HELPERS, 'helpers=["quotes.py"]', "must not contain three single quotes"),
    "solution not closed": (
        "    ### END SOLUTION\n",
        "",
        "each ### BEGIN SOLUTION needs its ### END SOLUTION",
    ),
    "solution not opened": (
        "    ### BEGIN SOLUTION\n",
        "",
        "each ### BEGIN SOLUTION needs its ### END SOLUTION",
    ),
    "hidden tests not closed": ("### END HIDDEN TESTS\n", "", "each ### BEGIN HIDDEN TESTS needs its"),
    "solution outside an answer": (
        'print("demo")',
        "### BEGIN SOLUTION\n### END SOLUTION",
        "belongs into a cell with a grade_id and solution",
    ),
    "hidden tests outside a test": (
        'print("demo")',
        "### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS",
        "belongs into a cell with a grade_id and points",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_one_line_with_file_and_reason(mistake: str, tiny: Tiny) -> None:
    old, new, reason = MISTAKES[mistake]
    assert MASTER.count(old) == 1, "the mistake must be made"
    root = tiny(MASTER.replace(old, new))
    (root / "quotes.py").write_text("'''three'''\n", encoding="utf-8")
    with pytest.raises(MasterError) as caught:
        read_master(root, read_chapters(root)[0], "tiny")
    message = str(caught.value)
    assert reason in message
    assert message.startswith(str(root / "notebooks" / "01_tiny" / "tiny.py"))
    assert "\n" not in message


def test_the_command_says_it_and_writes_nothing(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tiny(MASTER.replace('key="demo"', 'key="demo" colour="red"'))
    monkeypatch.chdir(root / "notebooks")
    for command, status, stream in (("build", 2, "err"), ("check", 1, "out")):
        monkeypatch.setattr("sys.argv", ["tools.authoring", command])
        assert main() == status
        said = getattr(capsys.readouterr(), stream)
        assert "unknown setting colour" in said and len(said.splitlines()) == 1
    assert not (root / "source").exists()


def test_outside_a_course_the_command_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["tools.authoring", "build"])
    assert main() == 2
    said = capsys.readouterr().err
    assert "no course root at or above" in said and len(said.splitlines()) == 1


def test_a_chapter_file_that_is_no_toml(tiny: Tiny) -> None:
    root = tiny(MASTER)
    path = root / "notebooks" / "01_tiny" / "chapter.toml"
    path.write_text(CHAPTER.replace('en = "Tiny"', "en = Tiny"), encoding="utf-8")
    with pytest.raises(MasterError, match=r"chapter\.toml: .*line"):
        read_chapters(root)


@pytest.mark.parametrize("setting", ["owner/repo", "https://example.org/owner/repo", "owner repo/x/main"])
def test_a_repository_that_is_no_address(setting: str, tiny: Tiny) -> None:
    root = tiny(MASTER)
    (root / "pyproject.toml").write_text(f'[tool.course]\nrepository = "{setting}"\n', encoding="utf-8")
    with pytest.raises(MasterError, match="not OWNER/REPO/BRANCH"):
        read_repository(root)


def test_badges_appear_once_a_repository_is_set(tiny: Tiny) -> None:
    master = MASTER.replace(
        '# %% [markdown] key="header"',
        '# %% [markdown] key="badges" badges=true\n\n# %% [markdown] key="header"',
    )
    root = tiny(master)
    without = read_master(root, read_chapters(root)[0], "tiny")
    assert not [cell for cell in without.cells if cell.id.startswith("badges")]
    (root / "pyproject.toml").write_text('[tool.course]\nrepository = "me/course/main"\n', encoding="utf-8")
    cells = {cell.id: cell.source for cell in read_master(root, read_chapters(root)[0], "tiny").cells}
    for language in ("zh", "en"):
        badges = cells[f"badges-{language}"]
        path = f"me/course/blob/main/release/{language}/01_tiny/tiny.ipynb"
        assert f"https://colab.research.google.com/github/{path}" in badges
        assert {"Colab", "Kaggle", "ModelScope"} <= {
            word.strip("[]( ") for word in badges.replace("]", " ").split()
        }


def test_the_header_states_minutes_and_points_of_the_cells(tiny: Tiny) -> None:
    root = tiny(MASTER)
    cells = {cell.id: cell.source for cell in read_master(root, read_chapters(root)[0], "tiny").cells}
    assert "5 min | 5 |" in cells["header-en"] and "5 分钟 | 5 分" in cells["header-zh"]


def test_editions_of_a_master(tiny: Tiny, tmp_path: Path) -> None:
    """The small course shows each rule of the build at a glance."""
    root = tiny(MASTER)
    out = tmp_path / "out"
    editions.build_tree(root, out)
    source = nbformat.read(out / "source" / "01_tiny" / "tiny.ipynb", as_version=4)
    assert [cell.id for cell in source.cells] == [
        "title-zh", "title-en", "header-zh", "header-en", "setup", "demo",
        "todo1-answer", "todo1-answer-test-visible", "last-zh", "last-en",
    ]  # fmt: skip
    for language in ("zh", "en"):
        release = nbformat.read(out / "release" / language / "01_tiny" / "tiny.ipynb", as_version=4)
        cells = {cell.id: cell.source for cell in release.cells}
        assert f"title-{language}" in cells and len(cells) == 7
        assert "return 42" not in cells["todo1-answer"]
        assert (
            'raise NotImplementedError("TODO 1 · answer: 还没有写 / not written yet")'
            in cells["todo1-answer"]
        )
        assert cells["todo1-answer-test-visible"] == 'assert answer() > 0, "正数 / a positive number"'
