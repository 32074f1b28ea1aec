"""Standard streams as shells and schedulers hand them over: closed, full, broken, in other encodings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shell(root: Path):
    """Run a line of shell in which ``autograde`` is our command, on a class with Chinese names in it."""
    (root / "all.csv").write_text("id\nann\n小安\n", encoding="utf-8")
    (root / "one.csv").write_text("id\nann\n", encoding="utf-8")

    def run(
        line: str, stdout: int = subprocess.PIPE, **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        command = f'autograde() {{ "{sys.executable}" -m autograde "$@"; }}; {line}'
        return subprocess.run(
            ["bash", "-c", command],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            stdout=stdout,
            stderr=subprocess.PIPE,
        )

    assert run("autograde roster all.csv").returncode == 0
    return run


def clean(done: subprocess.CompletedProcess[bytes]) -> bool:
    return b"Traceback" not in done.stderr and b"failure of the grader" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_what_a_terminal_cannot_show_is_escaped(shell, encoding):
    done = shell("autograde roster one.csv", PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert rb"not on the roster: \u5c0f\u5b89" in done.stdout


@pytest.mark.parametrize("line", ["autograde roster one.csv", "autograde grade --help"])
def test_a_reader_that_has_seen_enough_is_no_failure(shell, line):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = shell(line, stdout=writing)
    finally:
        os.close(writing)
    assert done.stderr == b""


def test_a_full_disk_behind_standard_output_is_one_line(shell):
    done = shell("autograde roster one.csv > /dev/full")
    assert done.returncode == 3
    assert done.stderr == b"autograde: the output can't be written (No space left on device)\n"


@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&- >&- 2>&-"])
def test_closed_streams_change_nothing(shell, root, closed):
    (root / "more.csv").write_text("id\nbob\n")
    done = shell(f"autograde roster more.csv {closed}")
    assert done.returncode == 0, done.stderr
    assert clean(done)
    assert b"bob" in (root / "gradebook.db").read_bytes()


def test_an_error_nobody_can_read_keeps_its_status(shell):
    assert shell("autograde roster nothing.csv 2>&-").returncode == 2
    assert shell("autograde roster nothing.csv 2> /dev/full").returncode == 2
