"""The whole corpus in one batch through the engine, among honest submissions whose scores don't move."""

import pytest

from autograde.course import Assignment, Submission
from autograde.executors import Job, LocalExecutor
from autograde.intake import admit
from autograde.outcome import SubmissionResult
from tests.cases import CASES
from tests.cases.corpus import REVIEW, Sent
from tests.cases.course import TESTS


@pytest.fixture(scope="module")
def results(shapes: Assignment, honest: dict[str, bytes]) -> dict[str, SubmissionResult]:
    jobs = []
    for number, case in enumerate(CASES):
        sent = Sent(honest)
        case.change(sent)
        submission = Submission(case.name, sent.files, sent.refused, None, sent.timestamp_problem, "")
        jobs.append(Job(case.name, admit(shapes, submission)))
        if number % 25 == 0:
            jobs.append(Job(f"honest-{number}", admit(shapes, Submission("h", honest, {}, None, "", ""))))
    with LocalExecutor(shapes, jobs=2, sandbox="none") as executor:
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
    assert len(honest) >= 8
    for result in honest:
        assert result.status == "graded"
        assert {name: points(result)[name] for name in TESTS} == TESTS
