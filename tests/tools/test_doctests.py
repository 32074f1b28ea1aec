"""The examples in public docstrings give what they say."""

import doctest
import importlib
import pkgutil

import pytest

import autograde
import tools

MODULES = sorted(
    module.name
    for package in (tools, autograde)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0, f"{name}: {result.failed} of {result.attempted} examples"


@pytest.mark.parametrize(
    "name", ["tools.project_runtime", "tools.notebook_runtime", "tools.timeline", "tools.progress"]
)
def test_what_notebooks_import_has_an_example(name: str) -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    assert [test for test in finder.find(importlib.import_module(name)) if test.examples]
