"""The main job: the sample class, graded as `make demo` grades it."""

import argparse
import json
import os
import shutil
from pathlib import Path

import pytest

from autograde.outcome import TestOutcome
from tests.engine.test_containment import fake_bubblewrap
from tools import demo
from tools.demo import experiment
from tools.demo.sample_class import ASSIGNMENT
from tools.project_runtime import MARKER, resolve_project_root

ROOT = resolve_project_root(Path(__file__))
# student -> points of TODO 1 to 4; None where a person must look
POINTS = {
    "ada": (35, 25, 25, 15), "bo": (35, 25, 25, 15), "chen": (35, 25, 25, 15), "dina": (12, 25, 25, 15),
    "emil": (13, 20, 25, 15), "fang": (35, 0, 25, 15), "gita": (35, 11, 25, 15), "hugo": (35, 25, 12, 15),
    "ines": (35, 25, 12, 15), "jun": (35, 25, 25, 9), "kira": (35, 25, 25, 0), "liu": (0, 0, 0, 0),
    "mona": (35, 0, 25, 15), "nils": (0, 0, 25, 15), "olga": (35, 25, 25, 9), "pia": (35, 25, 25, 15),
    "quan": (35, 25, 25, 15), "rosa": (0, 0, 25, 15), "sven": (35, 25, None, None), "tao": (None, 0, 25, 15),
}  # fmt: skip
REPAIRED, REVIEWED = {"olga", "pia", "quan"}, {"sven", "tao"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    for name in ("source", "release", "notebooks", "tools"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "solutions"))
    for name in (MARKER, "nbgrader_config.py"):
        shutil.copyfile(ROOT / name, root / name)
    return root


def run(checkout: Path, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, list[str]], str]:
    """Run the demo; return the table's rows by student, and what went to standard error."""
    assert demo.run(argparse.Namespace(course=checkout, no_experiment=True)) == 0
    out, err = capsys.readouterr()
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line.split()[:1]}
    return rows, err


@pytest.mark.sandbox
def test_the_sample_class_gets_what_it_earned(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, err = run(checkout, capsys)
    assert "NO SANDBOX" not in err
    for student, points in POINTS.items():
        todos = ["0?" if value is None else f"{value}" for value in points]
        total = "—" if None in points else f"{sum(filter(None, points))}/100"
        status = "graded"
        status = "graded_with_repairs" if student in REPAIRED else status
        status = "needs_review" if student in REVIEWED else status
        assert rows[student][1:7] == [*todos, total, status]
    course = checkout / demo.FOLDER
    for student in POINTS:
        page = (course / "feedback" / student / ASSIGNMENT / "index.html").read_text(encoding="utf-8")
        assert student.capitalize() in page and "BEGIN HIDDEN" not in page
    assert (course / "report" / ASSIGNMENT / "index.html").is_file() and (course / "gradebook.db").is_file()
    syntax = (course / "feedback" / "mona" / ASSIGNMENT / "index.html").read_text(encoding="utf-8")
    assert "syntax error" in syntax and "语法错误" in syntax

    records = {path: path.stat().st_mtime_ns for path in course.glob("autograded/*/*/.autograde.json")}
    again, _ = run(checkout, capsys)
    assert {name: again[name] for name in POINTS} == {name: rows[name] for name in POINTS}
    assert records == {path: path.stat().st_mtime_ns for path in records}, "nothing was run again"


def test_without_a_sandbox_it_goes_on_and_says_so(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "CLASS", demo.CLASS[:2])
    fake_bubblewrap(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    rows, err = run(checkout, capsys)
    assert "NO SANDBOX HERE" in err and "Permission denied" in err
    assert [rows[student][5] for student in ("ada", "bo")] == ["100/100", "100/100"]
    record = json.loads((checkout / demo.FOLDER / f"autograded/ada/{ASSIGNMENT}/.autograde.json").read_text())
    assert any("sandbox" in note for note in record["result"]["notes"])
    assert record["result"]["notebooks"][0]["tests"][0]["outcome"] == TestOutcome.PASSED


def test_the_experiment_is_run_once_and_its_files_are_named(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course = checkout / demo.FOLDER
    experiment.run_experiment(checkout, course)
    first = capsys.readouterr().out
    experiment.run_experiment(checkout, course)
    second = capsys.readouterr().out
    assert "measuring" in first and "measuring" not in second
    assert second.splitlines() == first.splitlines()[1:]
    result, picture = (Path(line.split()[1]) for line in second.splitlines())
    assert json.loads(result.read_text(encoding="utf-8"))["run_mode"] == "cpu_threads"
    assert picture.read_bytes().startswith(b"\x89PNG")
