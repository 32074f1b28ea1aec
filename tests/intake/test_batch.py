"""The whole corpus in one batch through the engine, among honest submissions whose scores don't move."""

import json
import random

import pytest

from autograde.course import Assignment, Submission
from autograde.executors import Job, LocalExecutor
from autograde.intake import admit
from autograde.outcome import Status, SubmissionResult
from tests.builder import dump
from tests.cases import CASES
from tests.cases.corpus import REVIEW, Sent
from tests.cases.course import TESTS
from tests.engine.conftest import why_no_sandbox

HONEST, MUTATED = 6, 36


def mutated(honest: dict[str, bytes], number: int) -> dict[str, bytes]:
    """Return an honest submission with a few places of one notebook damaged: bytes, cells or lines."""
    rng = random.Random(number)
    name = rng.choice(sorted(honest))
    damage = (damage_bytes, damage_cells, damage_lines)[number % 3]
    return honest | {name: damage(honest[name], rng)}


def damage_bytes(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.randint(1, 5)):
        place = rng.randrange(len(changed))
        changed[place : place + rng.randint(0, 30)] = rng.randbytes(rng.randint(0, 6))
    return bytes(changed)


def damage_cells(content: bytes, rng: random.Random) -> bytes:
    book = json.loads(content)
    cells = book["cells"]
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(cells))
        match rng.choice(["delete", "copy", "move", "strip"]):
            case "delete":
                del cells[place]
            case "copy":
                cells.insert(rng.randrange(len(cells)), dict(cells[place]))
            case "move":
                cells.insert(rng.randrange(len(cells)), cells.pop(place))
            case "strip":
                cells[place].pop(rng.choice(["id", "metadata", "cell_type", "source"]), None)
    return dump(book)


def damage_lines(content: bytes, rng: random.Random) -> bytes:
    book = json.loads(content)
    for _ in range(rng.randint(1, 3)):
        made = rng.choice(book["cells"])
        lines = made["source"].split("\n")
        lines.insert(
            rng.randrange(len(lines) + 1), rng.choice([*lines, "    ", ")", "%%time", "return", "1/0"])
        )
        made["source"] = "\n".join(lines)
    return dump(book)


@pytest.fixture(scope="module")
def results(shapes: Assignment, honest: dict[str, bytes]) -> dict[str, SubmissionResult]:
    jobs = [
        Job(f"honest-{k}", admit(shapes, Submission("h", honest, {}, None, "", ""))) for k in range(HONEST)
    ]
    for case in CASES:
        sent = Sent(honest)
        case.change(sent)
        submission = Submission(case.name, sent.files, sent.refused, None, sent.timestamp_problem, "")
        jobs.append(Job(case.name, admit(shapes, submission)))
    for number in range(MUTATED):
        files = mutated(honest, number)
        jobs.append(Job(f"mutated-{number}", admit(shapes, Submission("m", files, {}, None, "", ""))))
    random.Random(0).shuffle(jobs)
    with LocalExecutor(shapes, jobs=2, sandbox="none" if why_no_sandbox() else "bwrap") as executor:
        finished = [done.result for done in executor.run(jobs)]
    assert len(finished) == len(jobs)
    return {result.student_id: result for result in finished}


def points(result: SubmissionResult) -> dict[str, float | None]:
    return {test.grade_id: test.points for book in result.notebooks for test in book.tests}


def test_every_case_has_its_status_and_its_points(results: dict[str, SubmissionResult]) -> None:
    wrong = []
    for case in CASES:
        result = results[case.name]
        earned = points(result)
        lost = {name for name, full in TESTS.items() if earned.get(name) != full}
        if result.status != case.outcome or (case.outcome != REVIEW and lost != case.loses):
            wrong.append(f"{case.name}: {result.status}, lost {sorted(lost)}, {result.notes}")
    assert not wrong, "\n".join(wrong)


def test_a_review_is_not_a_score(results: dict[str, SubmissionResult]) -> None:
    reviewed = [results[case.name] for case in CASES if case.outcome == REVIEW]
    assert len(reviewed) > 30
    assert {result.score for result in reviewed} == {None}


def test_honest_submissions_do_not_move(results: dict[str, SubmissionResult]) -> None:
    honest = [result for name, result in results.items() if name.startswith("honest-")]
    assert len(honest) == HONEST
    for result in honest:
        assert result.status == "graded"
        assert {name: points(result)[name] for name in TESTS} == TESTS


def test_mutated_submissions_end_in_an_outcome(results: dict[str, SubmissionResult]) -> None:
    """A review has no score, everything else has one, and a test that earned nothing says why."""
    mutants = [result for name, result in results.items() if name.startswith("mutated-")]
    assert len(mutants) == MUTATED
    assert len({result.status for result in mutants}) == 3
    for result in mutants:
        assert result.status in (Status.GRADED, Status.GRADED_WITH_REPAIRS, Status.NEEDS_REVIEW), result
        assert (result.score is None) == (result.status == Status.NEEDS_REVIEW)
        if result.score is None:
            assert result.notes
            continue
        for test in (test for book in result.notebooks for test in book.tests):
            assert test.points is None or 0 <= test.points <= test.max_points
            assert test.message or test.points != 0, (result.student_id, test)
