"""Modules that an assignment brings along: compiled once, and the same as if they were not."""

import importlib
import sys
import traceback
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

from autograde.outcome import TestOutcome
from autograde.sandbox import Kind
from autograde.student import helpers
from autograde.student.helpers import compile_in_advance
from tests.engine.conftest import Start
from tests.engine.course_in_code import answer, assignment, check, given, results_of, submission

TEXT = "def outer():\n    def inner():\n        raise ValueError('in it')\n    return inner()\n"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The paths of the modules that were compiled when they were imported."""
    late = []
    compile_now = SourceFileLoader.source_to_code

    def watched(self: SourceFileLoader, data: bytes, path: str, **options: int) -> object:
        late.append(Path(path).name)
        return compile_now(self, data, path, **options)

    monkeypatch.setattr(SourceFileLoader, "source_to_code", watched)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    compile_in_advance([TEXT, "this is no module"])
    yield late


def imported(folder: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module(name)


def test_a_helper_is_compiled_once_and_its_tracebacks_name_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[str]
) -> None:
    module = imported(tmp_path, "helper_as_it_was", TEXT, monkeypatch)
    assert compiled == []
    with pytest.raises(ValueError, match="in it") as caught:
        module.outer()
    frames = traceback.extract_tb(caught.value.__traceback__)[1:]
    assert [(frame.filename, frame.lineno) for frame in frames] == [
        (str(tmp_path / "helper_as_it_was.py"), 4),
        (str(tmp_path / "helper_as_it_was.py"), 3),
    ]


def test_another_text_is_compiled_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[str]
) -> None:
    module = imported(tmp_path, "helper_changed", TEXT.replace("in it", "changed"), monkeypatch)
    assert compiled == ["helper_changed.py"]
    with pytest.raises(ValueError, match="changed"):
        module.outer()


def test_a_student_who_changes_a_helper_gets_the_changed_one(start: Start, kind: Kind) -> None:
    task = assignment(
        given("import helper"),
        answer("def f():\n    return helper.number()"),
        check("t", "assert f() == 1, f()"),
        files={"helper.py": b"def number():\n    return 1\n"},
    )
    mine = "import pathlib, importlib\npathlib.Path('helper.py').write_text('def number():\\n    return 22\\n')\n"
    mine += "importlib.reload(helper)\ndef f():\n    return helper.number()"
    executor = start(task, kind)
    (honest,) = executor.run([submission(task, {"answer": "def f():\n    return helper.number()"})])
    (changed,) = executor.run([submission(task, {"answer": mine})])
    assert results_of(honest)["t"].outcome is TestOutcome.PASSED
    assert results_of(changed)["t"].outcome is TestOutcome.FAILED
    assert "22" in results_of(changed)["t"].message


def test_nothing_is_replaced_where_there_is_nothing_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    before = SourceFileLoader.source_to_code
    monkeypatch.setattr(SourceFileLoader, "source_to_code", before)
    helpers.compile_in_advance(["this is no module"])
    assert SourceFileLoader.source_to_code is before
