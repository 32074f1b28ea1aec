"""Outcomes of whole submissions: files, several notebooks, missing ones, our own failures, no leaks."""

import os
import signal
import time
from dataclasses import replace

import pytest

from autograde.executors import Job, LocalExecutor
from autograde.intake import Intake, LaidCell, LaidNotebook
from autograde.limits import Limits, table
from autograde.outcome import Status
from autograde.sandbox import Kind
from tests.engine.conftest import SHORT, Start
from tests.engine.course_in_code import (
    answer,
    assignment,
    check,
    given,
    outcomes_of,
    points_of,
    results_of,
    submission,
)

LARGE = b"0123456789" * 40_000
TASK = assignment(
    given("import helper\nrows = open('data/rows.csv').read().split()"),
    answer("def total(rows):\n    return sum(map(int, rows)) + helper.OFFSET"),
    check("files", "assert total(rows) == 106\nassert len(open('large.bin', 'rb').read()) == 400_000"),
    files={"helper.py": b"OFFSET = 100\n", "data/rows.csv": b"1\n2\n3\n", "large.bin": LARGE},
    more={
        "second": [
            given("import math, os\nrows = [1]"),
            answer("def first(rows):\n    return open('large.bin').read(3), rows[0], os.path.exists('data/rows.csv')"),
            check("first", "assert first(rows) == ('012', 1, True)"),
            check(
                "traces",
                "assert not hasattr(math, 'seen') and 'SEEN' not in os.environ and not os.path.exists('seen.txt')\n"
                "math.seen = True\nos.environ['SEEN'] = '1'\nopen('seen.txt', 'w').write('1')\nos.chdir('/')",
            ),
        ],
        "third": [answer("x = 3", grade_id="x"), check("third", "import math\nassert x == 3 and not hasattr(math, 'seen')")],
    },
)  # fmt: skip
TEXTS = {
    "answer": "def total(rows):\n    return sum(map(int, rows)) + helper.OFFSET\n"
    "def first(rows):\n    return open('large.bin').read(3), rows[0], os.path.exists('data/rows.csv')",
    "x": "x = 3",
}
ALL = {"files": 1.0, "first": 1.0, "traces": 1.0, "third": 1.0}


def test_files_and_helper_modules_are_beside_the_notebooks(start: Start, kind: Kind) -> None:
    executor = start(TASK, kind)
    assert executor.plan.problems == ()
    (finished,) = executor.run([submission(TASK, TEXTS)])
    assert points_of(finished) == ALL
    assert list(finished.runs) == ["book", "second", "third"]


def test_no_trace_of_a_submission_in_the_next_or_in_the_next_notebook(start: Start, kind: Kind) -> None:
    jobs = [submission(TASK, TEXTS, student=f"s{n}") for n in range(6)]
    assert [points_of(f) for f in start(TASK, kind).run(jobs)] == [ALL] * 6


def test_a_students_file_is_there_but_does_not_replace_the_assignments(start: Start, kind: Kind) -> None:
    texts = {**TEXTS, "x": "x = int(open('mine.txt').read())"}
    files = {"mine.txt": b"3", "helper.py": b"OFFSET = 0\n", "data/rows.csv": b"7\n"}
    (finished,) = start(TASK, kind).run([submission(TASK, texts, files=files)])
    assert points_of(finished) == ALL


def test_files_of_all_the_size_that_is_read_are_there(start: Start, kind: Kind) -> None:
    task = assignment(answer("size = 0"), check("t", "assert size == 0"))
    files = {f"data{number}.bin": bytes(33 * 2**20) for number in range(2)}
    (finished,) = start(task, kind).run([submission(task, {"answer": "size = 0"}, files=files)])
    assert points_of(finished) == {"t": 1.0}


def test_outputs_of_many_cells_are_kept_up_to_a_limit(start: Start, kind: Kind) -> None:
    task = assignment(answer("x = 1"), check("t", "assert x == 1"))
    job = submission(task, {"answer": "x = 1"})
    (book,) = job.intake.notebooks
    prints = tuple(LaidCell(None, "code", "print('x' * 200_000)", f"added-{n}") for n in range(200))
    alternates = "import sys\nfor _ in range(40_000):\n    print(1)\n    print(2, file=sys.stderr)"
    for cells in (prints, (LaidCell(None, "code", alternates, "added"),)):
        intake = Intake((LaidNotebook(book.name, (*cells, *book.cells)),), {})
        (finished,) = start(task, kind).run([Job("student", intake)])
        assert points_of(finished) == {"t": 1.0}
        outputs = [output for run in finished.runs["book"] for output in run.outputs]
        assert len(outputs) < 20_000 and sum(len(output["text"]) for output in outputs) < 17 * 2**20
        assert "the rest is not kept" in outputs[-1]["text"]


def test_a_run_that_is_not_read_to_its_end_does_not_disturb_the_next(start: Start, kind: Kind) -> None:
    executor = start(TASK, kind)
    first = executor.run([submission(TASK, {}, student=f"left{n}") for n in range(4)])
    assert next(first).result.student_id.startswith("left")
    first.close()
    (finished,) = executor.run([submission(TASK, TEXTS, student="asked")])
    assert finished.result.student_id == "asked" and points_of(finished) == ALL


def without(job: Job, *names: str, problems: tuple[str, ...] = ()) -> Job:
    books = tuple(LaidNotebook(b.name, ()) if b.name in names else b for b in job.intake.notebooks)
    return Job(job.student_id, replace(job.intake, notebooks=books, problems=problems))


def test_a_notebook_that_was_not_handed_in_has_no_points(start: Start, kind: Kind) -> None:
    (finished,) = start(TASK, kind).run([without(submission(TASK, TEXTS), "third", "book")])
    assert points_of(finished) == {**ALL, "files": 0.0, "third": 0.0}
    assert "not handed in" in results_of(finished)["third"].message
    assert finished.result.status is Status.GRADED and finished.result.score == 2.0


def test_a_notebook_that_cannot_be_read_is_not_a_zero(start: Start, kind: Kind) -> None:
    job = without(submission(TASK, TEXTS), "second", problems=("second.ipynb: cut short",))
    (finished,) = start(TASK, kind).run([job])
    assert points_of(finished) == {**ALL, "first": None, "traces": None}
    assert finished.result.status is Status.NEEDS_REVIEW and finished.result.score is None
    assert "second.ipynb: cut short" in finished.result.notes


def test_nothing_at_all_is_not_a_zero_either(start: Start, kind: Kind) -> None:
    job = without(submission(TASK, TEXTS), "book", "second", "third", problems=("empty",))
    (finished,) = start(TASK, kind).run([job])
    assert set(outcomes_of(finished).values()) == {"needs_review"}
    assert finished.result.score is None and finished.result.peak_memory_mib is None


def test_repairs_are_in_the_status(start: Start, kind: Kind) -> None:
    job = submission(TASK, TEXTS)
    job = Job(job.student_id, replace(job.intake, repairs=("a cell was put back",), notes=("late",)))
    (finished,) = start(TASK, kind).run([job])
    assert finished.result.status is Status.GRADED_WITH_REPAIRS
    assert finished.result.repairs == ("a cell was put back",) and "late" in finished.result.notes


def test_time_and_memory_are_measured(start: Start, kind: Kind) -> None:
    texts = {**TEXTS, "x": "x = 3\nkept = bytearray(200 * 2**20)\nimport time; time.sleep(0.3)"}
    (finished,) = start(TASK, kind).run([submission(TASK, texts)])
    assert finished.result.seconds > 0.3
    assert finished.result.peak_memory_mib is not None and finished.result.peak_memory_mib > 200


def test_grading_without_a_sandbox_is_said(start: Start, each_kind: Kind) -> None:
    (finished,) = start(TASK, each_kind).run([submission(TASK, TEXTS)])
    assert points_of(finished) == ALL
    assert any("without a sandbox" in note for note in finished.result.notes) == (each_kind == "none")


SLOW = assignment(answer("import time\ntime.sleep(1)\nx = 1"), check("t", "assert x == 1"))


@pytest.mark.parametrize("deaths", [1, 2])
def test_when_we_fail_it_is_tried_once_more_and_never_a_zero(kind: Kind, deaths: int) -> None:
    text = "import time\ntime.sleep(2)\nx = 1"
    with LocalExecutor(SLOW, jobs=1, sandbox=kind, limits=SHORT) as executor:
        assert executor.plan.problems == ()
        results = executor.run([submission(SLOW, {"answer": text})])
        killed = kill_servers(executor, deaths)
        (finished,) = results
        killed.join()
    if deaths == 1:
        assert finished.result.status is Status.GRADED and finished.result.score == 1.0
    else:
        assert finished.result.status is Status.INFRASTRUCTURE_ERROR
        assert finished.result.score is None and finished.result.notebooks == ()


def kill_servers(executor: LocalExecutor, count: int):  # type: ignore[no-untyped-def]
    """Kill the examiner's server in the middle of a submission, and its successor if asked."""
    import threading

    def kill() -> None:
        known: set[int] = set()
        while len(known) < count:
            server = executor._server
            if server is not None and server._plan is not None and server._process.pid not in known:
                time.sleep(1.0)  # the submission is on its way now
                known.add(server._process.pid)
                os.kill(server._process.pid, signal.SIGKILL)
            time.sleep(0.02)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    return thread


def test_a_test_that_hangs_on_an_answer_is_stopped(start: Start, kind: Kind) -> None:
    task = assignment(
        answer("def f():\n    return 2"),
        check("power", "n = f()\nimport time\nend = time.time() + (60 if n > 2 else 0)\nwhile time.time() < end: pass\nassert n == 2"),
        check("after", "assert True"),
    )  # fmt: skip
    (finished,) = start(task, kind).run([submission(task, {"answer": "def f():\n    return 3"})])
    assert outcomes_of(finished) == {"power": "timed_out", "after": "passed"}


def test_an_examiner_that_cannot_be_stopped_from_within_is_ended_from_outside(
    start: Start, kind: Kind
) -> None:
    limits = Limits(cell_seconds=3.0, call_seconds=3.0, patience_seconds=3.0, submission_seconds=5.0)
    task = assignment(
        answer("def f():\n    return 2"),
        check("before", "assert f() in (2, 3)"),
        check(
            "sum", "assert sum(range(10**11 if f() > 2 else 3)) == 3"
        ),  # one step of the interpreter, for an hour
        check("after", "assert f() in (2, 3)"),
    )
    (finished,) = start(task, kind, limits).run([submission(task, {"answer": "def f():\n    return 3"})])
    assert outcomes_of(finished) == {"before": "passed", "sum": "timed_out", "after": "not_reached"}
    assert finished.result.score == 1.0 and any("from outside" in note for note in finished.result.notes)


def test_limits_have_one_table() -> None:
    lines = table().splitlines()
    assert len(lines) == 2 + len(Limits.__dataclass_fields__)
    assert all(line.count("|") == 5 for line in lines)
