"""Limits that an instructor sets."""

import argparse

import pytest

from autograde.commands.engine import add_engine_arguments, limits_of
from autograde.limits import DEFAULT, Limits
from autograde.versions import grading_key


def parsed(*words: str) -> Limits:
    parser = argparse.ArgumentParser()
    add_engine_arguments(parser)
    return limits_of(parser.parse_args(words))


def test_a_limit_is_set_by_name() -> None:
    assert parsed() == DEFAULT
    limits = parsed("--limit", "memory_mib=4096", "--limit", "cell_seconds=1.5")
    assert (limits.memory_mib, limits.cell_seconds) == (4096, 1.5)
    assert limits.call_seconds == DEFAULT.call_seconds


@pytest.mark.parametrize(
    "text",
    [
        "memory=1",
        "memory_mib",
        "memory_mib=lots",
        "memory_mib=1.5",
        "cell_seconds=nan",
        "cell_seconds=inf",
        "cell_seconds=-1",
    ],
)
def test_what_is_no_limit_is_refused_in_one_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        parsed("--limit", text)
    assert left.value.code == 2
    assert text.split("=")[0] in capsys.readouterr().err.splitlines()[-1]


def test_another_limit_is_another_grade() -> None:
    keys = {
        grading_key("files", "source", "bwrap", repr(limits))
        for limits in (DEFAULT, parsed("--limit", "processes=8"))
    }
    assert len(keys) == 2
