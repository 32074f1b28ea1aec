"""The instructor's README names everything there is, and its generated part is up to date."""

import argparse
import re
import sys
from pathlib import Path

import pytest

from autograde.__main__ import COMMANDS, main, parser
from autograde.limits import table
from autograde.outcome import Status, TestOutcome
from autograde.standing import Absence

README = Path(__file__).parents[2] / "autograde" / "README.md"
TEXT = README.read_text(encoding="utf-8")


def options(command: str) -> set[str]:
    subparsers = next(a for a in parser(command)._actions if isinstance(a, argparse._SubParsersAction))
    return {
        option
        for action in subparsers.choices[command]._actions
        for option in action.option_strings
        if option.startswith("--") and option != "--help"
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_documented(command):
    assert f"`{command}" in TEXT
    missing = {option for option in options(command) if f"`{option}" not in TEXT}
    assert not missing


@pytest.mark.parametrize("outcome", [*Status, *TestOutcome, *Absence])
def test_every_outcome_is_documented(outcome):
    assert f"`{outcome.value}`" in TEXT


def test_no_option_is_documented_that_is_not_there():
    known = set().union(*(options(command) for command in COMMANDS)) | {"--duedate"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", TEXT)) <= known


def test_limits_are_those_of_the_code():
    assert f"<!-- limits:begin -->\n{table()}\n<!-- limits:end -->" in TEXT, (
        "paste the output of limits.table()"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    assert "usage: python -m autograde" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [[], ["nonsense"], ["grade"], ["grade", "x", "--jobs", "0"], ["grade", "x", "--jobs=a"]]
)
def test_bad_usage_ends_with_status_2(words, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2


def test_a_command_of_the_course_is_one_line_where_the_course_is_not(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tools.demo", None)
    assert main(["demo"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "run it in a checkout of it" in lines[0]


def test_a_folder_that_is_no_course_is_one_line(tmp_path, capsys):
    assert main(["grade", "hw1", "--course", str(tmp_path / "nowhere")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_database_url_that_is_none_is_one_line(tmp_path, capsys):
    from tests.books import course

    course.write_source(tmp_path)
    assert main(["feedback", "hw1", "--course", str(tmp_path), "--db", "nonsense"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "sqlite:////path/gradebook.db" in lines[0]


def test_a_database_that_cannot_be_opened_is_our_failure(tmp_path, capsys):
    from tests.books import course

    course.write_source(tmp_path)
    url = f"sqlite:///{tmp_path}/no/such/folder/gradebook.db"
    assert main(["feedback", "hw1", "--course", str(tmp_path), "--db", url]) == 3
    assert "can't be used" in capsys.readouterr().err
