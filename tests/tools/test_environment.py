"""One set of pins: pyproject.toml's. The conda environment, Binder's files and the constraints repeat it."""

import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CORE = PROJECT["dependencies"]
EXTRAS = PROJECT["optional-dependencies"]


def lines(name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


@pytest.mark.parametrize("pin", [*CORE, *EXTRAS["gpu"], *EXTRAS["dev"]])
def test_every_dependency_is_pinned_exactly(pin: str) -> None:
    name, _, version = pin.partition("==")
    assert name and version[:1].isdigit()
    assert not set(version) & set("<>=*~, ")


def test_torch_is_no_dependency_of_the_cpu_course() -> None:
    assert not [pin for pin in CORE if pin.startswith("torch")]
    assert [pin for pin in EXTRAS["gpu"] if pin.startswith("torch==")]


def test_the_conda_environment_has_the_same_pins_and_torch() -> None:
    environment = lines("environment.yml")
    assert environment[0] == "name: inf-cuda-mechanism"
    pip = next(index for index, line in enumerate(environment) if line.strip() == "- pip:")
    indent = len(environment[pip + 1]) - len(environment[pip + 1].lstrip())
    pins = [
        line.strip().removeprefix("- ") for line in environment[pip + 1 :] if line.startswith(" " * indent)
    ]
    assert sorted(pins) == sorted([*CORE, *EXTRAS["gpu"]])
    assert pip + 1 + len(pins) == len(environment), "the pip section is the last one"
    assert "  - python=3.11" in environment[:pip] and "  - pip" in environment[:pip]


def test_binder_has_the_same_pins_without_torch() -> None:
    assert sorted(lines("binder/requirements.txt")) == sorted(CORE)
    assert lines("binder/runtime.txt") == ["python-3.11"]


def test_the_constraints_hold_every_pin() -> None:
    frozen = {line.split(";")[0].strip().lower().replace("_", "-") for line in lines("constraints.txt")}
    wanted = {pin.lower().replace("_", "-") for pin in [*CORE, *EXTRAS["gpu"], *EXTRAS["dev"]]}
    assert wanted - frozen == set()
    assert all("==" in line for line in frozen), "constraints are exact"


def test_pyproject_asks_for_the_python_of_the_environments() -> None:
    assert PROJECT["requires-python"] == ">=3.11"


@pytest.mark.parametrize("pin", lines("constraints.txt"))
def test_every_package_admits_the_lowest_python_promised(pin: str) -> None:
    name, _, version = pin.split(";")[0].strip().partition("==")
    about = metadata(name)
    assert about["Version"].split("+")[0] == version
    assert "3.11.0" in SpecifierSet(about["Requires-Python"] or "")
