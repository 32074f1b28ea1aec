"""Submissions that hang, crash, flood or grow: the test they do it in is lost, the rest is graded."""

import json
import time

import pytest

from autograde.executors import Finished
from autograde.limits import Limits
from autograde.outcome import Status
from autograde.sandbox import Kind
from tests.engine.conftest import SHORT, Start
from tests.engine.course_in_code import (
    answer,
    assignment,
    check,
    outcomes_of,
    points_of,
    results_of,
    submission,
)

GOOD_ONE = "def one(n):\n    return n + 1"
GOOD_TWO = "def two(n):\n    return n + 2"
TASK = assignment(
    answer(GOOD_ONE, grade_id="one"),
    check("one-a", "assert one(1) == 2"),
    check("one-b", "assert one(5) == 6"),
    answer(GOOD_TWO, grade_id="two"),
    check("two-a", "assert two(1) == 3"),
    check("both", "assert two(one(1)) == 4"),
)
SMALL = Limits(
    cell_seconds=8.0,
    call_seconds=6.0,
    patience_seconds=2.5,
    submission_seconds=90.0,
    memory_mib=256,
    scratch_mib=16,
)


def run(start: Start, kind: Kind, one: str, two: str = GOOD_TWO, limits: Limits = SHORT) -> Finished:
    (finished,) = start(TASK, kind, limits).run([submission(TASK, {"one": one, "two": two})])
    return finished


def rest_is_graded(finished: Finished) -> bool:
    return points_of(finished)["two-a"] == 1.0 and finished.result.status is Status.GRADED


def body(*lines: str) -> str:
    """A function `one` that does something before it answers rightly."""
    return "\n".join(
        [
            "import os, signal, sys, threading, time",
            "def one(n):",
            *(f"    {x}" for x in lines),
            "    return n + 1",
        ]
    )


HANGS = {
    "an endless loop": body("while True: pass"),
    "an endless loop that catches everything": body(
        "while True:", "    try:", "        while True: pass", "    except BaseException: pass"
    ),
    "SIGINT ignored": body("signal.signal(signal.SIGINT, signal.SIG_IGN)", "time.sleep(3600)"),
    "SIGSTOP to itself": body("os.kill(os.getpid(), signal.SIGSTOP)", "time.sleep(3600)"),
    "a lock taken twice": body("lock = threading.Lock()", "lock.acquire()", "lock.acquire()"),
}


@pytest.mark.parametrize("text", HANGS.values(), ids=HANGS)
def test_a_function_that_hangs_times_out(start: Start, kind: Kind, text: str) -> None:
    finished = run(start, kind, text)
    outcomes = outcomes_of(finished)
    assert outcomes["one-a"] == "timed_out" and "endless loop" in results_of(finished)["one-a"].message
    assert rest_is_graded(finished)


CRASHES = {
    "os._exit": body("os._exit(0)"),
    "a segmentation fault": body("import ctypes", "ctypes.string_at(0)"),
    "SIGKILL to itself": body("os.kill(os.getpid(), signal.SIGKILL)"),
    "abort": body("os.abort()"),
}


@pytest.mark.parametrize("text", CRASHES.values(), ids=CRASHES)
def test_a_function_that_ends_the_process_loses_its_test(start: Start, kind: Kind, text: str) -> None:
    finished = run(start, kind, text)
    assert outcomes_of(finished)["one-a"] == "error" and "process" in results_of(finished)["one-a"].message
    assert rest_is_graded(finished)
    assert any(
        note.startswith("one-a: its process ended") or "was ended by" in note
        for note in finished.result.notes
    )


EXITS = {"sys.exit": body("sys.exit(0)"), "quit": body("quit()"), "input": body("input('? ')")}


@pytest.mark.parametrize("text", EXITS.values(), ids=EXITS)
def test_exit_and_input_have_a_clear_message(start: Start, kind: Kind, text: str) -> None:
    finished = run(start, kind, text)
    message = results_of(finished)["one-a"].message
    assert "SystemExit" in message or "input() is not available" in message
    assert rest_is_graded(finished)


@pytest.mark.parametrize(
    "text", ["import os\nos._exit(0)", "while True: pass", "import sys\nsys.exit()", "quit()"]
)
def test_a_cell_that_ends_or_hangs_is_left_out_and_the_rest_is_graded(
    start: Start, kind: Kind, text: str
) -> None:
    finished = run(start, kind, GOOD_ONE, f"{text}\n{GOOD_TWO}")
    points = points_of(finished)
    assert points["one-a"] == points["one-b"] == 1.0  # verdicts from before stay
    assert points["two-a"] == 0.0 and points["both"] == 0.0
    assert finished.result.status is Status.GRADED


def test_a_restart_brings_the_earlier_cells_back(start: Start, kind: Kind) -> None:
    text = "import os\ndef two(n):\n    if n == 1:\n        os._exit(3)\n    return n + 2"
    finished = run(start, kind, GOOD_ONE, text)
    assert points_of(finished) == {"one-a": 1.0, "one-b": 1.0, "two-a": 0.0, "both": 1.0}


def test_a_timer_that_ends_the_process_later_costs_no_test_of_another_answer(
    start: Start, kind: Kind
) -> None:
    text = (
        "import threading, os, time\nend = time.time() + 0.05\n"
        "if not os.path.exists('once'):\n    open('once', 'w').close()\n"
        "    threading.Timer(0.05, lambda: os._exit(9)).start()\n" + GOOD_ONE
    )
    slow = "import time\ntime.sleep(0.5)\n" + GOOD_TWO
    assert points_of(run(start, kind, text, slow))["one-b"] == 1.0


def test_printing_without_end_is_cut(start: Start, kind: Kind) -> None:
    text = "print('x' * 3_000_000)\nimport os\nos.write(1, b'y' * 3_000_000)\n" + GOOD_ONE
    finished = run(start, kind, text)
    outputs = finished.runs["book"][0].outputs
    assert sum(len(output.get("text", "")) for output in outputs) < 2 * SHORT.output_kib * 1024
    assert "output cut" in outputs[0]["text"]
    assert points_of(finished)["one-a"] == 1.0


def test_texts_that_no_file_or_terminal_should_get_are_replaced(start: Start, kind: Kind) -> None:
    bad = "'\\ud800 \\x1b[31m red \\u202e'"
    text = f"print({bad})\nclass Odd:\n    def __repr__(self):\n        return {bad}\ndef one(n):\n    raise ValueError({bad})"
    finished = run(
        start,
        kind,
        text,
        f"def two(n):\n    class Odd:\n        def __repr__(self):\n            return {bad}\n    return Odd()",
    )
    written = json.dumps([finished.result.to_json(), finished.runs["book"][0].outputs], ensure_ascii=False)
    assert written.encode()  # a lone surrogate would raise
    told = " ".join([results_of(finished)["one-a"].message, *finished.result.notes])
    assert "red" in told and "\x1b" not in told and "\u202e" not in told
    assert any("Odd" in note for note in finished.result.notes)


def test_a_thread_that_prints_for_ever_does_not_stop_grading(start: Start, kind: Kind) -> None:
    text = (
        "import threading, time\ndef chatter():\n    end = time.time() + 20\n    while time.time() < end:\n"
        "        print('tick'); time.sleep(0.001)\nthreading.Thread(target=chatter, daemon=True).start()\n"
    )
    assert points_of(run(start, kind, text + GOOD_ONE)) == {
        "one-a": 1.0,
        "one-b": 1.0,
        "two-a": 1.0,
        "both": 1.0,
    }


def test_what_is_written_to_the_descriptors_is_the_cells_output(start: Start, kind: Kind) -> None:
    finished = run(
        start, kind, GOOD_ONE + "\nimport os\nos.system('echo from a shell'); os.write(2, b'low\\n');"
    )
    texts = {output["name"]: output["text"] for output in finished.runs["book"][0].outputs}
    assert texts["stdout"] == "from a shell\n" and texts["stderr"] == "low\n"


def test_a_slow_answer_keeps_its_time_beside_one_that_hangs(start: Start, kind: Kind) -> None:
    slow = "import time\ndef two(n):\n    time.sleep(1.4 if n == 1 else 0)\n    return n + 2"
    finished = run(start, kind, body("while True: pass"), slow)
    assert outcomes_of(finished)["one-b"] == "timed_out"
    assert points_of(finished)["two-a"] == 1.0


def test_many_busy_processes_cost_another_student_nothing(start: Start, kind: Kind) -> None:
    busy = (
        "import os, time\ndef one(n):\n    end = time.monotonic() + 6\n    for _ in range(40):\n"
        "        if os.fork() == 0:\n            while time.monotonic() < end: pass\n"
        "            os._exit(0)\n    while time.monotonic() < end: pass\n    return n + 1"
    )
    slow = "import time\ndef one(n):\n    end = time.process_time() + 0.8\n    while time.process_time() < end: pass\n    return n + 1"
    jobs = [
        submission(TASK, {"one": one, "two": GOOD_TWO}, student=s) for s, one in (("a", busy), ("b", slow))
    ]
    done = {finished.result.student_id: finished for finished in start(TASK, kind).run(jobs)}
    assert outcomes_of(done["b"]) == dict.fromkeys(("one-a", "one-b", "two-a", "both"), "passed")
    assert any("more than one processor" in note for note in done["a"].result.notes)
    assert not any("processor" in note for note in done["b"].result.notes)


def test_the_budget_of_a_submission_ends_it(start: Start, kind: Kind) -> None:
    limits = Limits(cell_seconds=3.0, call_seconds=3.0, patience_seconds=3.0, submission_seconds=4.0)
    task = assignment(
        answer("def f():\n    return 1"), *(check(f"t{n}", f"assert f() == 1  # {n}") for n in range(9))
    )
    text = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ndef f():\n    time.sleep(60)"
    began = time.monotonic()
    (finished,) = start(task, kind, limits).run([submission(task, {"answer": text})])
    outcomes = list(outcomes_of(finished).values())
    assert outcomes[0] == "timed_out" and outcomes[-1] == "not_reached"
    assert set(outcomes) == {"timed_out", "not_reached"}
    assert finished.result.seconds < 20 and time.monotonic() - began < 40


@pytest.mark.sandbox
class TestSandboxed:
    """What only a sandbox contains. Every text here stays small even without one."""

    @pytest.fixture(autouse=True)
    def _here(self, sandbox_works: None) -> None:
        """Skip where there is no sandbox."""

    def test_memory_is_limited(self, start: Start) -> None:
        text = "def one(n):\n    kept = bytearray(600 * 2**20)\n    return n + 1"
        finished = run(start, "bwrap", text, limits=SMALL)
        assert points_of(finished)["one-a"] == 0.0 and rest_is_graded(finished)
        assert "MemoryError" in results_of(finished)["one-a"].message

    def test_memory_of_all_processes_together_is_limited(self, start: Start) -> None:
        text = (
            "import os, time\ndef one(n):\n    for _ in range(4):\n        if os.fork() == 0:\n"
            "            kept = bytearray(b'x') * (110 * 2**20); time.sleep(4); os._exit(0)\n"
            "    time.sleep(2.2)\n    return n + 1"
        )
        finished = run(start, "bwrap", text, limits=SMALL)
        assert points_of(finished)["one-a"] == 0.0 and rest_is_graded(finished)
        assert any("memory" in note for note in finished.result.notes)

    def test_shared_memory_counts_too(self, start: Start) -> None:
        text = (
            "import mmap, os, time\ndef one(n):\n    for _ in range(4):\n        if os.fork() == 0:\n"
            "            kept = mmap.mmap(-1, 110 * 2**20)\n"
            "            for _ in range(110): kept.write(b'x' * 2**20)\n            time.sleep(4); os._exit(0)\n"
            "    time.sleep(2.2)\n    return n + 1"
        )
        finished = run(start, "bwrap", text, limits=SMALL)
        assert points_of(finished)["one-a"] == 0.0 and rest_is_graded(finished)
        assert any("memory" in note for note in finished.result.notes)

    def test_memory_is_watched_while_answers_come_that_nobody_asked_for(self, start: Start) -> None:
        text = (
            "import os, socket, threading, time\n"
            "from autograde.wire import send_blocking\nfrom autograde.plain_data import encode\n"
            "def wire():\n    for fd in range(3, 256):\n        try:\n"
            "            return socket.socket(fileno=os.dup(fd))\n        except OSError:\n            pass\n"
            "def chatter():\n    end = time.monotonic() + 4\n    sock = wire()\n"
            "    while time.monotonic() < end:\n"
            "        send_blocking(sock, encode((0, 'stray'))); time.sleep(0.05)\n"
            "def one(n):\n    threading.Thread(target=chatter, daemon=True).start()\n"
            "    for _ in range(4):\n        if os.fork() == 0:\n"
            "            kept = bytearray(b'x') * (110 * 2**20); time.sleep(4); os._exit(0)\n"
            "    time.sleep(2.2)\n    return n + 1"
        )
        finished = run(start, "bwrap", text, limits=SMALL)
        assert points_of(finished)["one-a"] == 0.0 and rest_is_graded(finished)
        assert any("memory" in note for note in finished.result.notes)
        assert any("nobody had asked for" in note for note in finished.result.notes)

    def test_memory_is_watched_while_nothing_is_asked(self, start: Start) -> None:
        task = assignment(
            answer("def one(n):\n    return n"),
            check("t", "import time\nassert one(1) == 1\ntime.sleep(1.5)\nassert one(2) == 2"),
        )
        text = (
            "import os, time\ndef one(n):\n    for _ in range(4 if n == 1 else 0):\n        if os.fork() == 0:\n"
            "            kept = bytearray(b'x') * (110 * 2**20); time.sleep(3); os._exit(0)\n    return n"
        )
        (finished,) = start(task, "bwrap", SMALL).run([submission(task, {"answer": text})])
        assert points_of(finished)["t"] == 0.0
        assert any("memory" in note for note in finished.result.notes)

    def test_files_are_limited(self, start: Start) -> None:
        text = "def one(n):\n    open('big', 'wb').write(bytes(40 * 2**20))\n    return n + 1"
        finished = run(start, "bwrap", text, limits=SMALL)
        assert points_of(finished)["one-a"] == 0.0 and rest_is_graded(finished)
        assert "OSError" in results_of(finished)["one-a"].message

    def test_many_small_files_are_limited_too(self, start: Start) -> None:
        text = "def one(n):\n    for i in range(8):\n        open(f'part{i}', 'wb').write(bytes(4 * 2**20))\n    return n + 1"
        finished = run(start, "bwrap", text, limits=SMALL)
        assert points_of(finished)["one-a"] == 0.0 and rest_is_graded(finished)

    def test_processes_are_limited(self, start: Start) -> None:
        text = (
            "import os, time\ndef one(n):\n    made = 0\n    try:\n        for _ in range(120):\n"
            "            if os.fork() == 0:\n                time.sleep(5); os._exit(0)\n            made += 1\n"
            "    except OSError:\n        return made\n    return 10_000"
        )
        finished = run(start, "bwrap", text)
        assert points_of(finished)["one-a"] == 0.0 and rest_is_graded(finished)
        task = assignment(answer("def one(n):\n    return n"), check("t", "assert one(0) < 64"))
        (finished,) = start(task, "bwrap").run([submission(task, {"answer": text})])
        assert points_of(finished)["t"] == 1.0
