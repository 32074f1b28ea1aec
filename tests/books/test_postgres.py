"""The gradebook in PostgreSQL: the same scores as in SQLite, through every command."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from autograde.__main__ import main
from autograde.commands.grade import grade_course
from autograde.gradebook import Gradebook, StudentScores
from autograde.layout import CourseLayout
from tests.books import course

pytestmark = pytest.mark.postgres


def find_binaries() -> Path | None:
    """Return the folder of PostgreSQL's programs; Debian keeps them off the PATH."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return folders[-1] if folders else None


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Start a server of our own, on a socket in a temporary folder; yield its URL."""
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    as_root = os.geteuid() == 0  # which PostgreSQL refuses
    other = {"user": "nobody", "group": "nogroup", "extra_groups": []} if as_root else {}
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    if as_root:
        shutil.chown(folder, "nobody")

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [binaries / program, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT, timeout=120, **other,
        )  # fmt: skip

    data = str(folder / "data")
    try:
        run("initdb", "-D", data, "-A", "trust", "-E", "UTF8", "-U", "grader")
        options = f"-c listen_addresses= -c fsync=off -k {folder}"
        run("pg_ctl", "-D", data, "-o", options, "-l", str(folder / "log"), "-w", "start")
        try:
            yield f"postgresql+psycopg://grader@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def database(server, request) -> str:
    """Make an empty database; return its URL."""
    name = f"grades_{abs(hash(request.node.name)):x}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return server.replace("/postgres?", f"/{name}?")


def grade(root: Path, url: str | None, **options) -> None:
    grade_course(CourseLayout.of(root), course.ASSIGNMENT, course.FakeExecutor, db_url=url, **options)


def scores(root: Path, url: str | None) -> dict[str, StudentScores]:
    layout = CourseLayout.of(root)
    with Gradebook(url or layout.db_url, layout.course_id) as gradebook:
        return gradebook.scores(course.ASSIGNMENT)


@pytest.fixture
def classes(root, tmp_path_factory) -> tuple[Path, Path]:
    """Two copies of one class, with a late policy."""
    (root / "nbgrader_config.py").write_text("get_config().LateSubmissionPlugin.penalty_method = 'zero'\n")
    course.submit(root, "ann", timestamp="2026-11-02 10:00:00 UTC")
    course.submit(root, "bob", course.WRONG)
    course.submit(root, "cy", "REVIEW = 1")
    twin = tmp_path_factory.mktemp("twin") / "course"
    shutil.copytree(root, twin)
    return root, twin


def test_scores_are_those_of_sqlite_through_every_command(database, classes):
    ours, theirs = classes
    for root, url in ((ours, database), (theirs, None)):
        words = ["--course", str(root), *(["--db", url] if url else [])]
        grade(root, url)
        course.submit(root, "bob", course.RIGHT)
        grade(root, url)
        grade(root, url, force=True)
        assert main(["resolve", "cy", course.ASSIGNMENT, "--rest", "1", *words]) == 0
        assert main(["feedback", course.ASSIGNMENT, *words]) == 0
        assert main(["report", course.ASSIGNMENT, *words]) == 0
    found = scores(ours, database)
    assert found == scores(theirs, None)
    assert [found[student].score for student in ("ann", "bob", "cy")] == [5.0, 5.0, 2.0]
    assert not (ours / "gradebook.db").exists()


def test_a_due_date_reaches_the_penalties(database, classes):
    root, _ = classes
    grade(root, database)
    engine = create_engine(database)
    with engine.begin() as connection:
        connection.execute(text("UPDATE assignment SET duedate = '2026-11-01 12:00:00'"))
    engine.dispose()
    grade(root, database)
    assert scores(root, database)["ann"].score == 0.0
