"""Where the course lies, and which packages are there."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from tools.notebook_runtime import NOT_INSTALLED, package_version
from tools.project_runtime import MARKER, WORKING_FOLDER, resolve_project_root

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "below", [".", "notebooks", "notebooks/03_serving_overlap/solutions/zh", "tools/authoring"]
)
def test_the_root_is_found_from_any_folder_of_the_repository(below: str) -> None:
    assert resolve_project_root(ROOT / below) == ROOT


def test_the_root_is_found_from_a_file_from_text_and_from_a_folder_yet_to_come() -> None:
    assert resolve_project_root(Path(__file__)) == ROOT
    assert resolve_project_root(str(ROOT / "tests")) == ROOT
    assert resolve_project_root(ROOT / "results" / "not" / "yet" / "there") == ROOT


def test_relative_paths_start_from_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "tools")
    found = resolve_project_root(".")
    assert found == ROOT and found.is_absolute()


def test_a_notebook_opened_alone_finds_the_folder_that_it_wrote(tmp_path: Path) -> None:
    working = tmp_path / WORKING_FOLDER
    (working / "tools").mkdir(parents=True)
    (working / MARKER).touch()
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    for start in (tmp_path, below, working, working / "tools"):
        assert resolve_project_root(start) == working


def test_the_nearest_root_wins(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / MARKER).touch()
    assert resolve_project_root(inner) == tmp_path
    (inner / MARKER).touch()
    assert resolve_project_root(inner) == inner


def test_elsewhere_the_error_says_where_it_looked_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / MARKER).mkdir()  # a folder of that name is no marker
    with pytest.raises(FileNotFoundError) as caught:
        resolve_project_root(tmp_path)
    message = str(caught.value)
    assert str(tmp_path) in message and MARKER in message
    assert "set-up cell" in message and "\n" not in message


def test_versions_are_those_of_the_installed_packages() -> None:
    for name in ("numpy", "matplotlib", "nbgrader"):
        assert package_version(name) == importlib.metadata.version(name)


def test_a_package_that_is_not_there_is_a_value() -> None:
    assert package_version("no-such-package-anywhere") == NOT_INSTALLED == "not installed"


@pytest.mark.parametrize("name", ["", "   "])
def test_a_name_is_needed(name: str) -> None:
    with pytest.raises(ValueError, match="needs a package name"):
        package_version(name)


def test_versions_are_read_without_importing_the_package() -> None:
    code = (
        "import sys\nfrom tools.notebook_runtime import package_version\n"
        "print(package_version('numpy'), 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [importlib.metadata.version("numpy"), "False"]
