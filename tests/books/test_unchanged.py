"""A class in which nothing changed is told from the stats of its files; whatever changed is seen."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autograde import watched
from autograde.__main__ import main
from autograde.assignment_notes import save_problems
from autograde.commands import grade as in_full
from autograde.course import load_assignment
from tests.books import course
from tests.books.test_grading import sqlite_run

pytestmark = pytest.mark.usefixtures("fake_engine")
KEPT = ".autograde.hw1.unchanged.json"
HEAVY = {
    "nbgrader",
    "sqlalchemy",
    "nbformat",
    "nbconvert",
    "tqdm",
    "autograde.grading",
    "autograde.gradebook",
}


class Runs:
    """Runs the command and knows whether it looked at every submission."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.capsys = capsys
        self.looked = False
        self.status = -1

    def __call__(self, *words: str) -> str:
        self.looked = False
        self.capsys.readouterr()
        self.status = main(["grade", "hw1", "--course", str(self.root), *words])
        return self.capsys.readouterr().out

    @property
    def kept(self) -> Path:
        return self.root / "autograded" / KEPT


@pytest.fixture
def runs(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runs:
    made = Runs(root, capsys)
    run = in_full.run

    def noticed(*arguments):
        made.looked = True
        return run(*arguments)

    monkeypatch.setattr(in_full, "run", noticed)
    return made


@pytest.fixture
def graded(runs: Runs) -> Runs:
    """A class of two that was graded once."""
    course.submit(runs.root, "ann", timestamp="2026-01-02 03:04:05 UTC")
    course.submit(runs.root, "bob", course.WRONG)
    runs()
    assert runs.looked
    assert runs.kept.is_file()
    return runs


def test_it_says_what_a_run_in_full_says(runs):
    root = runs.root
    course.submit(root, "ann")
    course.submit(root, "bob", "def double(x):\n    return 1  # REVIEW")
    course.submit(root, "cy", course.WRONG)
    runs()
    save_problems(root / "autograded", load_assignment(root, "hw1"), ("a fault of the assignment",))
    course.submit(root, "cy")
    first = runs()
    assert "cy: 0 -> 5 (resubmitted)" in first
    said = []
    for _ in range(2):
        runs.looked = False
        runs.capsys.readouterr()
        status = main(["grade", "hw1", "--course", str(root)])
        out, err = runs.capsys.readouterr()
        said.append((status, out, [line for line in err.splitlines() if "/s, " not in line]))
        assert runs.looked is (len(said) == 2)
        runs.kept.unlink()
    status, out, err = said[0]
    assert said[0] == said[1]
    assert status == 1
    assert "3 unchanged, not run again\n" in out
    assert "6 cells wait for manual grading (Formgrader)\na fault of the assignment\n" in out
    assert "changed scores" not in out
    assert err[0].startswith("bob: needs_review")


@pytest.mark.parametrize("jobs", ["1", "7"])
def test_the_number_of_jobs_changes_nothing(graded, jobs):
    assert "2 unchanged" in graded("--jobs", jobs)
    assert not graded.looked


def test_an_empty_class_is_one_in_which_nothing_changed(runs):
    said = runs()
    assert runs() == said
    assert not runs.looked
    course.submit(runs.root, "ann")
    assert "1 graded" in runs()


def test_a_process_that_finds_nothing_changed_imports_nothing_heavy(graded):
    program = (
        "import sys; from autograde.__main__ import main; status = main(sys.argv[1:]); "
        f"print(sorted({HEAVY!r} & sys.modules.keys())); sys.exit(status)"
    )
    words = [sys.executable, "-c", program, "grade", "hw1", "--course", str(graded.root)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-2:] == ["4 cells wait for manual grading (Formgrader)", "[]"]
    assert done.returncode == 0


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Change a file in place; its size and its time of modification stay if `change` keeps the length."""
    before = path.stat()
    path.write_bytes(change(path.read_bytes()))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copy2(path, copy)
    copy.replace(path)


def restored(root: Path) -> None:
    shutil.copy2(root / "gradebook.db", root / "older.db")
    (root / "older.db").replace(root / "gradebook.db")


def configured(root: Path, text: str) -> None:
    (root / "nbgrader_config.py").write_text(f"c = get_config()\n{text}\n")


def linked(root: Path) -> None:
    (root / "submitted" / "ann").rename(root / "away")
    (root / "submitted" / "ann").symlink_to(root / "away")


ANN = "submitted/ann/hw1"
CHANGES = {
    "a touched source": lambda root: (root / "source/hw1/alpha.ipynb").touch(),
    "a source of the same size and time": lambda root: rewrite(
        root / "source/hw1/alpha.ipynb", lambda text: text.replace(b"4711", b"4712")
    ),
    "a file beside the source": lambda root: (root / "source/hw1/data.csv").write_text("1"),
    "a source that is gone": lambda root: (root / "source/hw1/beta.ipynb").unlink(),
    "tests written out": lambda root: (root / "source_with_tests/hw1").mkdir(parents=True),
    "another answer": lambda root: course.submit(root, "ann", course.WRONG),
    "an answer of the same size and time": lambda root: rewrite(
        root / ANN / "alpha.ipynb", lambda text: text.replace(b"RIGHT", b"WRONG")
    ),
    "a file replaced by its copy": lambda root: replaced(root / ANN / "alpha.ipynb"),
    "another time stamp": lambda root: (root / ANN / "timestamp.txt").write_text("2026-01-02 03:04:06 UTC"),
    "a file more": lambda root: (root / ANN / "notes.txt").write_text(""),
    "a folder more": lambda root: (root / ANN / "empty").mkdir(),
    "a file less": lambda root: (root / ANN / "beta.ipynb").unlink(),
    "a file that is a link": lambda root: (root / ANN / "link").symlink_to("alpha.ipynb"),
    "a folder that is a link": linked,
    "a file that can't be read": lambda root: (root / ANN / "alpha.ipynb").chmod(0),
    "a folder that nobody may read": lambda root: (root / ANN).chmod(0),
    "a student more": lambda root: course.submit(root, "cy"),
    "a student less": lambda root: shutil.rmtree(root / "submitted/bob"),
    "no students at all": lambda root: shutil.rmtree(root / "submitted"),
    "a score by hand": lambda root: sqlite_run(root, "update grade set manual_score = 1"),
    "an older gradebook": restored,
    "no gradebook": lambda root: (root / "gradebook.db").unlink(),
    "a journal": lambda root: (root / "gradebook.db-journal").write_bytes(b""),
    "a write-ahead log": lambda root: (root / "gradebook.db-wal").write_bytes(b""),
    "no side file": lambda root: (root / "autograded/ann/hw1/.autograde.json").unlink(),
    "another side file": lambda root: (root / "autograded/ann/hw1/.autograde.json").write_text("{}"),
    "no releases": lambda root: (root / "autograded/.autograde.hw1.releases.json").unlink(),
    "a problem of the assignment": lambda root: save_problems(
        root / "autograded", load_assignment(root, "hw1"), ("a fault",)
    ),
    "a configuration": lambda root: configured(root, ""),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_changed_is_seen(graded, change):
    graded()
    assert not graded.looked
    change(graded.root)
    graded()
    assert graded.looked


def test_a_decision_by_hand_is_seen(runs):
    course.submit(runs.root, "ann", "def double(x):\n    return 1  # REVIEW")
    for looked in (True, False):
        runs()
        assert (runs.status, runs.looked) == (1, looked)
    assert main(["resolve", "ann", "hw1", "--rest", "1", "--course", str(runs.root)]) == 0
    runs()
    assert (runs.status, runs.looked) == (0, True)


@pytest.mark.parametrize("words", [["--sandbox", "none"], ["--limit", "memory_mib=512"]], ids=" ".join)
def test_another_question_has_an_answer_of_its_own(graded, words):
    assert "unchanged" not in graded(*words)
    assert graded.looked
    graded(*words)
    assert not graded.looked
    graded()
    assert graded.looked


@pytest.mark.parametrize("words", [["--student", "ann"], ["--force"], ["--json", "{}/x"], ["--db", "{}"]])
def test_who_asks_for_more_or_for_a_part_gets_it_and_nothing_is_kept(graded, words):
    before = graded.kept.read_bytes()
    url = f"sqlite:///{graded.root}/gradebook.db" if words[0] == "--db" else str(graded.root)
    graded(*(word.format(url) for word in words))
    assert graded.looked
    assert graded.kept.read_bytes() == before


def test_a_gradebook_from_the_environment_counts_as_named(graded, monkeypatch):
    monkeypatch.setenv("AUTOGRADE_DB", f"sqlite:///{graded.root}/another.db")
    graded()
    assert graded.looked
    assert (graded.root / "another.db").is_file()


def test_a_configuration_is_executed_again(runs, monkeypatch):
    configured(runs.root, "import os\nc.CourseDirectory.submitted_directory = os.environ['INBOX']")
    for inbox in ("one", "two"):
        monkeypatch.setenv("INBOX", inbox)
        course.submit(runs.root, "ann")
        (runs.root / "submitted").rename(runs.root / inbox)
        for looked in (True, False):
            assert "1 submission" in runs()
            assert runs.looked is looked


def test_a_configuration_of_plain_values_is_no_obstacle(runs):
    lines = (
        "c.A.list = [1, {'b': (2.5, None)}]",
        "c.A.more.append('x')",
        "c.A.kind = dict",
        "c.A.on = True",
        "c.CourseDirectory.ignore.append('*.bak')",
        "from autograde.nbgrader_plugin import configure",
        "configure(c)",
    )
    configured(runs.root, "\n".join(lines))
    course.submit(runs.root, "ann")
    runs()
    runs()
    assert not runs.looked


def test_a_course_may_keep_its_folders_elsewhere(runs):
    configured(
        runs.root,
        "c.CourseDirectory.autograded_directory = 'done'\nc.CourseDirectory.source_directory = 'masters'\n"
        "c.CourseDirectory.directory_structure = '{nbgrader_step}/{assignment_id}/{student_id}'\n"
        f"c.CourseDirectory.db_url = 'sqlite:///{runs.root}/books/grades.db'",
    )
    (runs.root / "books").mkdir()
    course.submit(runs.root, "ann")
    (runs.root / "masters/hw1").mkdir(parents=True)
    (runs.root / "source/hw1").rename(runs.root / "masters/hw1/.")
    (runs.root / "submitted/ann/hw1").rename(runs.root / "submitted/ann2")
    (runs.root / "submitted/ann").rename(runs.root / "submitted/hw1")
    (runs.root / "submitted/ann2").rename(runs.root / "submitted/hw1/ann")
    for looked in (True, False):
        assert "1 graded" in runs()
        assert runs.looked is looked
    (runs.root / "submitted/hw1/ann/alpha.ipynb").touch()
    runs()
    assert runs.looked


@pytest.mark.parametrize(
    "text",
    [
        "c.LateSubmissionPlugin.penalty_method = 'zero'",
        "c.AssignLatePenalties.plugin_class = 'nbgrader.plugins.LateSubmissionPlugin'",
        "c.IncludeHeaderFooter.header = ''",
        "c.GenerateAssignment.preprocessors = []",
        "c.BaseConverter.preprocessors = []",
        "c.CourseDirectory.db_url = 'sqlite:///gradebook.db'",
        "c.CourseDirectory.db_url = 'sqlite:///{root}/gradebook.db?timeout=9'",
        "c.Formatter.it = object()",
        "c.Formatter.it = [lambda: 1]",
        "c.Formatter.it.append(object())",
    ],
)
def test_what_depends_on_things_that_nobody_watches_is_looked_at_each_time(runs, monkeypatch, text):
    monkeypatch.chdir(runs.root)
    configured(runs.root, text.format(root=runs.root))
    course.submit(runs.root, "ann")
    for _ in range(2):
        assert runs() is not None
        assert runs.status == 0
        assert runs.looked


def test_our_own_failure_is_tried_again(runs):
    course.submit(runs.root, "ann", "BROKEN")
    for _ in range(2):
        runs()
        assert runs.status == 3
        assert runs.looked
        assert not runs.kept.exists()


@pytest.mark.parametrize(
    ("what", "value"),
    [("platform.python_version", lambda: "3.99.0"), ("os.geteuid", lambda: 77), ("time.tzname", ("A", "B"))],
)
def test_another_python_user_or_time_zone_looks_in_full(graded, monkeypatch, what, value):
    monkeypatch.setattr(f"autograde.unchanged.{what}", value)
    graded()
    assert graded.looked


def test_another_grader_or_package_looks_in_full(runs, monkeypatch, tmp_path_factory):
    package, packages = (tmp_path_factory.mktemp(name) / "site-packages" for name in ("one", "two"))
    for folder in (package, packages):
        folder.mkdir()
    monkeypatch.setattr(watched, "_PACKAGE", package)
    monkeypatch.setattr(sys, "path", [*sys.path, str(packages)])
    course.submit(runs.root, "ann")
    for change in ("", package / "new.py", packages / "nbgrader-9.dist-info"):
        if change:
            change.mkdir()
        for looked in (True, False):
            runs()
            assert runs.looked is looked
    (package / "__pycache__").mkdir()
    runs()
    assert not runs.looked


def test_a_write_that_only_the_log_has_is_seen(graded):
    data = json.loads(graded.kept.read_text())["places"]
    places = watched.Places(**{key: tuple(v) if isinstance(v, list) else v for key, v in data.items()})
    connection = sqlite3.connect(graded.root / "gradebook.db")  # while it is open, the log stays
    connection.execute("pragma journal_mode=wal")
    looks = []
    for score in (1, 2):
        connection.execute("update grade set manual_score = ?", (score,))
        connection.commit()
        looks.append((watched.Look.at_results(places).digest, (graded.root / "gradebook.db").stat()))
        time.sleep(0.02)
    connection.close()
    assert looks[0][1] == looks[1][1]
    assert looks[0][0] != looks[1][0]


HOLD = """
import sys, pathlib
from autograde.lock import course_lock
with course_lock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_grader_at_work_is_the_same_error(graded):
    words = [sys.executable, "-c", HOLD, str(graded.root / "autograded")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as holder:
        assert holder.stdout.readline() == b"held\n"
        status = main(["grade", "hw1", "--course", str(graded.root)])
        said = graded.capsys.readouterr()
        holder.stdin.close()
    assert status == 2
    assert said.out == ""
    assert f"another grader (process {holder.pid}) is at work" in said.err


def test_an_answer_is_kept_under_the_lock(runs, monkeypatch):
    course.submit(runs.root, "ann")
    ask, others = in_full._unchanged, []

    def asked(*arguments):
        words = [sys.executable, "-c", HOLD, str(runs.root / "autograded")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        others.append(subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, env=environment))
        return ask(*arguments)

    monkeypatch.setattr(in_full, "_unchanged", asked)
    runs()
    assert runs.kept.is_file()
    assert [b"another grader" in other.stderr for other in others] == [True]


def edited(text: str) -> str:
    data = json.loads(text)
    data["answer"]["said"][0] = "hw1: all is well"
    return json.dumps(data)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:-9],
        lambda text: "\udcff",
        lambda text: "[]",
        lambda text: "null",
        lambda text: "[" * 100_000,
        lambda text: text.replace('"said"', '"sad"'),
        lambda text: text.replace('"places"', '"place"'),
        lambda text: text.replace('"status": 0', '"status": 1'),
        lambda text: json.dumps({**json.loads(text), "places": dict.fromkeys(json.loads(text)["places"], 1)}),
        edited,
    ],
)
def test_a_damaged_file_is_no_answer(graded, damage):
    good = graded.kept.read_text()
    bad = damage(good)
    assert bad != good
    graded.kept.write_bytes(bad.encode("utf-8", "surrogateescape"))
    assert "2 unchanged, not run again\n" in graded()
    assert graded.looked
    graded()
    assert not graded.looked


def test_another_schema_is_no_answer(graded, monkeypatch):
    monkeypatch.setattr("autograde.unchanged._SCHEMA", 2)
    graded()
    assert graded.looked


def test_a_file_that_cant_be_kept_is_no_failure(runs, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("autograde.unchanged.write_atomic", full)
    course.submit(runs.root, "ann")
    assert "1 graded" in runs()
    assert runs.status == 0
    assert not runs.kept.exists()


def test_time_stamps_that_are_too_new_are_not_trusted(runs, monkeypatch):
    course.submit(runs.root, "ann")
    now = time.time_ns
    monkeypatch.setattr("autograde.watched.time.time_ns", lambda: now() - 10**9)  # the files' clock is ahead
    runs()
    assert not runs.kept.exists()
    monkeypatch.setattr("autograde.watched.time.time_ns", now)
    runs()
    assert runs.kept.exists()


def test_a_file_system_that_counts_seconds_is_not_trusted_for_two(tmp_path, monkeypatch):
    look = watched.Look()
    (tmp_path / "a").touch()
    status = list(os.lstat(tmp_path / "a"))
    whole = os.stat_result(status, {"st_ctime_ns": 7 * 10**9, "st_mtime_ns": 7 * 10**9})
    look._add_status("a", whole, times=False)
    assert look.settled_at >= 9 * 10**9


def test_a_file_that_was_just_changed_is_waited_for(tmp_path):
    look = watched.Look()
    (tmp_path / "a").touch()
    look._add(str(tmp_path / "a"))
    assert look.wait()
    assert time.time_ns() >= (tmp_path / "a").stat().st_ctime_ns + 20_000_000


def test_the_last_look_comes_when_the_clock_has_ticked(runs, monkeypatch):
    """A change within one tick after the last look has the same stats: that look must come a tick later."""
    course.submit(runs.root, "ann")
    looks = []
    look = watched.Look.at_results.__func__

    def noted(cls, places):
        looks.append(time.time_ns())
        return look(cls, places)

    monkeypatch.setattr(watched.Look, "at_results", classmethod(noted))
    runs()
    newest = max(path.lstat().st_ctime_ns for path in runs.root.glob("gradebook.db*"))
    assert looks[-1] >= newest + 20_000_000


MEANWHILE = {
    "a submission": lambda root: course.submit(root, "ann", course.WRONG),
    "the source": lambda root: (root / "source/hw1/alpha.ipynb").touch(),
    "a side file": lambda root: (root / "autograded/ann/hw1/.autograde.json").unlink(),
    "what a side file says": lambda root: rewrite(
        root / "autograded/ann/hw1/.autograde.json", lambda text: text.replace(b'"passed"', b'"failed"')
    ),
    "the gradebook": lambda root: sqlite_run(root, "update grade set auto_score = 99"),
    "the gradebook's cells": lambda root: sqlite_run(root, "update grade_cells set max_score = 99"),
    "the configuration": lambda root: configured(root, ""),
}


@pytest.mark.parametrize("moment", ["before it is asked", "after it is asked"])
@pytest.mark.parametrize("change", MEANWHILE.values(), ids=MEANWHILE)
def test_what_changes_while_it_runs_is_seen_by_the_next(runs, monkeypatch, change, moment):
    course.submit(runs.root, "ann")
    ask = in_full._unchanged

    def asked(*arguments):
        if moment.startswith("before"):
            change(runs.root)
        answer = ask(*arguments)
        if moment.startswith("after"):
            change(runs.root)
        return answer

    monkeypatch.setattr(in_full, "_unchanged", asked)
    assert "1 graded" in runs()
    assert runs.status == 0
    assert not runs.kept.exists()


@pytest.mark.parametrize("change", MEANWHILE.values(), ids=MEANWHILE)
def test_what_changes_after_it_was_graded_is_seen_by_the_next(runs, monkeypatch, change):
    course.submit(runs.root, "ann")
    keep = in_full.Keeper.keep

    def late(self, ask):
        change(runs.root)
        keep(self, ask)

    monkeypatch.setattr(in_full.Keeper, "keep", late)
    assert "1 graded" in runs()
    assert runs.status == 0
    assert not runs.kept.exists()
