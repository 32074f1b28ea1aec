"""The pipeline: what is run, what is kept, and what an outcome looks like in the gradebook."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograde import __main__ as command_line
from autograde import versions
from autograde.commands import grade as command
from autograde.commands.engine import status_of
from autograde.course import submitted_students
from autograde.errors import CourseError, UsageError
from autograde.layout import CourseLayout
from autograde.outcome import Status
from autograde.record import load
from tests.books import course
from tests.books.dump import dump


class Executors:
    """Hands out fake executors and remembers what each one ran."""

    def __init__(self) -> None:
        self.runs: list[list[str]] = []

    def __call__(self, assignment):
        executor = course.FakeExecutor(assignment)
        self.runs.append(executor.seen)
        return executor


def grade(root: Path, executors=course.FakeExecutor, **options):
    graded = command.grade_course(CourseLayout.of(root), course.ASSIGNMENT, executors, **options)
    return {each.result.student_id: each for each in graded}


def grades(root: Path) -> dict[tuple[str, str], tuple]:
    rows = dump(root / "gradebook.db")["grades"]
    return {(student, name): tuple(rest) for student, name, _, *rest in rows}


def test_unchanged_submissions_are_not_run_again_and_changed_ones_are(root):
    for student in ("ann", "bob"):
        course.submit(root, student)
    executors = Executors()
    grade(root, executors)
    again = grade(root, executors)
    assert all(each.reused for each in again.values())
    course.submit(root, "bob", course.WRONG)
    third = grade(root, executors)
    assert executors.runs == [["ann", "bob"], ["bob"]]  # no executor at all for the second run
    assert third["bob"].resubmitted
    assert (third["bob"].previous.score, third["bob"].result.score) == (5.0, 0.0)


def test_another_version_of_the_grader_runs_everything_again(root, monkeypatch):
    course.submit(root, "ann")
    executors = Executors()
    grade(root, executors)
    monkeypatch.setattr("autograde.versions.grader_version", lambda: "another")
    assert not grade(root, executors)["ann"].reused
    assert executors.runs == [["ann"], ["ann"]]


def test_the_graders_version_follows_its_code_and_not_its_pages():
    counted = versions.code_files()
    names = {path.relative_to(Path(versions.__file__).parent).parts[0] for path in counted}
    assert {"examiner", "student", "intake", "course", "grading.py"} <= names
    assert not {"feedback.py", "report.py", "commands"} & names


def test_what_was_graded_without_a_sandbox_is_run_again_in_one(root):
    course.submit(root, "ann")
    executors = Executors()
    grade(root, executors, sandbox="none")
    assert grade(root, executors, sandbox="none")["ann"].reused
    assert not grade(root, executors, sandbox="bwrap")["ann"].reused
    assert executors.runs == [["ann"], ["ann"]]


def test_another_python_runs_everything_again(root, monkeypatch):
    course.submit(root, "ann")
    grade(root)
    monkeypatch.setattr("autograde.versions.platform.python_version", lambda: "3.99.0")
    assert not grade(root)["ann"].reused


@pytest.mark.usefixtures("fake_engine")
def test_the_command_says_which_sandbox_it_grades_in(root, capsys):
    course.submit(root, "ann")
    for sandbox in ("none", "bwrap"):
        command_line.main(["grade", course.ASSIGNMENT, "--course", str(root), "--sandbox", sandbox])
        assert "unchanged" not in capsys.readouterr().out


def test_force_runs_everything_again(root):
    course.submit(root, "ann")
    executors = Executors()
    grade(root, executors)
    grade(root, executors, force=True)
    assert executors.runs == [["ann"], ["ann"]]


def test_a_corrected_test_runs_everyone_and_keeps_the_old_score_beside_the_new(root):
    course.submit(root, "ann")
    grade(root)
    course.write_source(root, course.source_books(points=8))
    regraded = grade(root)["ann"]
    assert (regraded.previous.score, regraded.result.score) == (5.0, 10.0)
    assert regraded.result.status is Status.GRADED  # the students' files are as they were released
    assert regraded.previous.points["alpha/todo1-double-test-hidden"] == 3
    assert not regraded.resubmitted
    assert "ann: 5 -> 10 (regraded)" in "\n".join(command.summary("hw1", [regraded]))


def test_needs_review_and_our_failure_never_look_like_a_zero(root):
    course.submit(root, "ann", "def double(x):\n    return 1  # REVIEW")
    course.submit(root, "bob", "BROKEN = 1")
    course.submit(root, "cy", course.WRONG)
    (root / "submitted" / "dan" / course.ASSIGNMENT).mkdir(parents=True)
    (root / "submitted" / "dan" / course.ASSIGNMENT / "alpha.ipynb").write_bytes(b"")
    graded = grade(root)
    assert graded["ann"].result.status is Status.NEEDS_REVIEW
    assert graded["bob"].result.status is Status.INFRASTRUCTURE_ERROR
    assert graded["dan"].result.status is Status.NEEDS_REVIEW
    stored = grades(root)
    for student in ("ann", "bob"):
        assert stored[student, "todo1-double-test-visible"] == (None, None, None, 1)
    assert stored["cy", "todo1-double-test-visible"] == (0.0, None, None, 0)
    as_json = {student: each.result.to_json() for student, each in graded.items()}
    assert [as_json[s]["score"] for s in ("ann", "bob", "cy", "dan")] == [None, None, 0.0, None]


def test_our_failure_is_tried_again_by_the_next_run(root):
    course.submit(root, "bob", "BROKEN = 1")
    executors = Executors()
    grade(root, executors)
    grade(root, executors)
    assert executors.runs == [["bob"], ["bob"]]


def test_a_forced_run_that_we_fail_keeps_the_grade(root):
    course.submit(root, "ann")
    grade(root)

    class Failing(course.FakeExecutor):
        def run(self, jobs):
            for finished in super().run(jobs):
                result = finished.result
                broken = type(result)(
                    result.student_id, Status.INFRASTRUCTURE_ERROR, None, result.max_score, 0.0, None
                )
                yield type(finished)(broken, {})

    assert grade(root, Failing, force=True)["ann"].result.status is Status.INFRASTRUCTURE_ERROR
    assert grades(root)["ann", "todo1-double-test-visible"] == (2.0, None, None, 0)
    assert grade(root)["ann"].reused


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ([course.RIGHT, course.WRONG], 0),
        ([course.RIGHT, "REVIEW = 1"], 1),
        (["REVIEW = 1", "BROKEN = 1"], 3),
    ],
)
def test_exit_status(root, answers, status):
    for number, answer in enumerate(answers):
        course.submit(root, f"student{number}", answer)
    assert status_of(each.result for each in grade(root).values()) == status


def test_json_has_the_documented_keys_and_no_others(root, tmp_path):
    course.submit(root, "ann")
    path = tmp_path / "out.json"
    command.write_json(path, "hw1", list(grade(root).values()))
    data = json.loads(path.read_text())
    assert data.keys() == {"assignment", "submissions"}
    submission = data["submissions"][0]
    assert list(submission) == [
        "student_id", "status", "score", "max_score", "seconds", "peak_memory_mib", "repairs", "notes",
        "notebooks",
    ]  # fmt: skip
    assert list(submission["notebooks"][0]) == ["name", "tests"]
    test = submission["notebooks"][0]["tests"][0]
    assert list(test) == ["grade_id", "outcome", "points", "max_points", "message"]


def test_autograded_notebooks_are_valid_and_hide_the_hidden_tests(root):
    course.submit(root, "ann", course.WRONG)
    grade(root)
    folder = root / "autograded" / "ann" / course.ASSIGNMENT
    for name in ("alpha", "beta"):
        book = nbformat.read(folder / f"{name}.ipynb", as_version=4)
        nbformat.validate(book)
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"hidden-rule-4711" not in everything
    alpha = nbformat.read(folder / "alpha.ipynb", as_version=4)
    verdicts = [c.outputs[0].text for c in alpha.cells if c.metadata.get("nbgrader", {}).get("grade")]
    assert [verdict.split("\n")[0] for verdict in verdicts] == ["failed: 0 / 2", "failed: 0 / 3"]


def test_files_of_an_earlier_grading_go_and_a_students_names_cannot_stop_us(root):
    folder = course.submit(root, "ann")
    (folder / "notes").write_text("a file")
    grade(root)
    autograded = root / "autograded" / "ann" / course.ASSIGNMENT
    assert (autograded / "notes").read_text() == "a file"
    (folder / "notes").unlink()
    (folder / "notes").mkdir()
    (folder / "notes" / "deep.txt").write_text("now a folder")
    (root / "source" / course.ASSIGNMENT / "data.csv").write_text("1,2")
    (folder / "data.csv").mkdir()
    (folder / "data.csv" / "mine").write_text("where a file of the assignment lies")
    graded = grade(root)["ann"]
    assert (autograded / "notes" / "deep.txt").read_text() == "now a folder"
    assert (autograded / "data.csv").read_text() == "1,2"
    assert any(note.startswith("data.csv/mine: left out") for note in graded.result.notes)


def test_a_persons_scores_and_comments_survive_a_regrade(root, nbgrader):
    course.submit(root, "ann")
    grade(root)
    sqlite_run(
        root,
        "update grade set manual_score = 1.5, needs_manual_grade = 0 where cell_id in "
        "(select id from base_cell where name = 'todo1-double-test-visible')",
        "update comment set manual_comment = 'well done'",
    )
    grade(root, force=True)
    assert grades(root)["ann", "todo1-double-test-visible"] == (2.0, 1.5, None, 1)
    assert {row[4] for row in dump(root / "gradebook.db")["comments"]} == {"well done"}


def sqlite_run(root: Path, *statements: str) -> None:
    connection = sqlite3.connect(root / "gradebook.db")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_lost_gradebook_is_written_again_without_running_anything(root):
    course.submit(root, "ann", timestamp="2026-11-02 10:00:00 UTC")
    executors = Executors()
    grade(root, executors)
    before = dump(root / "gradebook.db")
    (root / "gradebook.db").unlink()
    grade(root, executors)
    assert executors.runs == [["ann"]]
    assert dump(root / "gradebook.db") == before


def test_a_gradebook_put_back_from_an_old_copy_is_brought_up_to_date(root):
    course.submit(root, "ann", course.WRONG)
    grade(root)
    old = (root / "gradebook.db").read_bytes()
    course.submit(root, "ann", course.RIGHT)
    executors = Executors()
    grade(root, executors)
    (root / "gradebook.db").write_bytes(old)
    assert grade(root, executors)["ann"].reused
    assert executors.runs == [["ann"]]
    assert grades(root)["ann", "todo1-double-test-visible"] == (2.0, None, None, 0)


def test_nothing_of_the_batch_stays_beside_the_gradebook(root):
    course.submit(root, "ann")
    grade(root)
    assert [path.name for path in root.glob("gradebook.db*")] == ["gradebook.db"]
    connection = sqlite3.connect(root / "gradebook.db")
    assert connection.execute("pragma journal_mode").fetchone() == ("delete",)
    connection.close()


def test_a_new_time_stamp_alone_reaches_the_gradebook(root):
    course.submit(root, "ann", timestamp="2026-11-02 10:00:00 UTC")
    grade(root)
    course.submit(root, "ann", timestamp="2026-11-03 12:00:00+02:00")
    assert grade(root)["ann"].reused
    assert dump(root / "gradebook.db")["submissions"] == [("ann", "2026-11-03 10:00:00.000000", None)]


def test_late_penalty_follows_the_courses_policy(root):
    (root / "nbgrader_config.py").write_text("get_config().LateSubmissionPlugin.penalty_method = 'zero'\n")
    course.submit(root, "ann", timestamp="2026-11-02 10:00:00 UTC")
    course.submit(root, "bob", timestamp="2026-11-01 10:00:00 UTC")
    grade(root)
    sqlite_run(root, "update assignment set duedate = '2026-11-01 12:00:00.000000'")
    grade(root)  # nothing to run, but the due date is new
    assert penalties(root) == {("ann", "alpha"): 5.0, ("ann", "beta"): 0.0} | dict.fromkeys(
        [("bob", "alpha"), ("bob", "beta")]
    )
    grade(root, force=True)
    assert penalties(root)["ann", "alpha"] == 5.0
    assert load(root / "autograded" / "ann" / course.ASSIGNMENT).seconds_late == 22 * 3600
    sqlite_run(root, "update submitted_assignment set extension = '1970-01-02 00:00:00.000000'")  # one day
    grade(root)
    assert set(penalties(root).values()) == {None}


def penalties(root: Path) -> dict[tuple[str, str], float | None]:
    return {(s, n): p for s, n, _, p in dump(root / "gradebook.db")["submitted_notebooks"]}


def test_submissions_that_arrive_meanwhile_are_graded(root):
    course.submit(root, "ann")

    class Arriving(course.FakeExecutor):
        def run(self, jobs):
            for finished in super().run(jobs):
                if finished.result.student_id == "ann":
                    course.submit(root, "zoe")
                yield finished

    assert sorted(grade(root, Arriving)) == ["ann", "zoe"] == submitted_students(root, course.ASSIGNMENT)


def test_a_second_grader_is_refused_until_the_first_is_killed(root):
    course.submit(root, "ann")
    code = (
        "import sys, pathlib\nfrom autograde.lock import course_lock\n"
        f"with course_lock(pathlib.Path({str(root / 'autograded')!r})):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match=f"another grader \\(process {holder.pid}\\)"):
            grade(root)
        holder.kill()
    assert grade(root)["ann"].result.status is Status.GRADED


def test_unknown_assignment_and_student_are_refused(root):
    course.submit(root, "ann")
    with pytest.raises(CourseError, match="hw1"):
        command.grade_course(CourseLayout.of(root), "hw2", course.FakeExecutor)
    with pytest.raises(CourseError, match="nobody"):
        grade(root, students=["nobody"])


def test_removing_a_cell_that_a_person_scored_is_refused(root):
    course.submit(root, "ann")
    grade(root)
    sqlite_run(root, "update grade set manual_score = 1")
    books = course.source_books()
    del books["alpha"]["cells"][3]
    course.write_source(root, books)
    with pytest.raises(CourseError, match=r"todo1-double-test-visible.*a person scored"):
        grade(root)


def test_cells_can_be_added_and_removed_between_gradings(root):
    course.submit(root, "ann")
    grade(root)
    books = course.source_books()
    del books["alpha"]["cells"][3]
    new = course.cell(
        "code", "assert double(1) == 2", "todo1-double-test-new", grade=True, locked=True, points=7
    )
    books["alpha"]["cells"].append(new)
    course.write_source(root, books)
    assert grade(root)["ann"].result.score == 10
    stored = grades(root)
    assert stored["ann", "todo1-double-test-new"] == (7.0, None, None, 0)
    assert ("ann", "todo1-double-test-visible") not in stored


KILLED = """
import pathlib, sys
from autograde import grading, record
from autograde.autograded import AutogradedWriter
from autograde.commands.grade import grade_course
from autograde.gradebook import Gradebook
from autograde.layout import CourseLayout
from tests.books import course

root, stage, number = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
OWNERS = {"write": AutogradedWriter, "record": Gradebook, "save": record}
owner, calls = OWNERS[stage], 0
original = getattr(owner, stage)

def stopping(*arguments, **options):
    global calls
    done = original(*arguments, **options)
    calls += 1
    if calls == number:
        print("reached", flush=True)
        sys.stdin.read()  # until it is killed
    return done

setattr(owner, stage, stopping)
grade_course(CourseLayout.of(root), course.ASSIGNMENT, course.FakeExecutor)
"""


@pytest.mark.parametrize("number", [1, 4, 6])
@pytest.mark.parametrize("stage", ["write", "record", "save"])
def test_killed_after_any_stage_and_run_again_the_gradebook_is_the_same(
    class_of_six, tmp_path, stage, number
):
    whole, expected = class_of_six
    killed = tmp_path / "killed"
    shutil.copytree(whole, killed)
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(killed), stage, str(number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout.readline() == b"reached\n"
        os.kill(process.pid, signal.SIGKILL)
    executors = Executors()
    grade(killed, executors)
    finished = number if stage == "save" else number - 1
    left = [f"student{i}" for i in range(finished, 6)]
    assert executors.runs == ([left] if left else [])
    assert dump(killed / "gradebook.db") == expected


@pytest.fixture(scope="module")
def class_of_six(tmp_path_factory) -> tuple[Path, dict]:
    """A class that nobody has graded, and what its gradebook holds when nobody is killed."""
    root = tmp_path_factory.mktemp("six") / "course"
    course.write_source(root)
    answers = [course.RIGHT, course.WRONG, "REVIEW = 1"]
    for number in range(6):
        course.submit(root, f"student{number}", answers[number % 3], timestamp="2026-11-02 10:00:00 UTC")
    graded = tmp_path_factory.mktemp("graded") / "course"
    shutil.copytree(root, graded)
    grade(graded)
    return root, dump(graded / "gradebook.db")
