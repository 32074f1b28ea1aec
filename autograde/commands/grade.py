"""``grade``: grade an assignment's submissions; :mod:`autograde.commands.grade_entry` comes before it."""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from autograde.assignment_notes import load_problems, problems_path, save_problems
from autograde.atomic import write_atomic
from autograde.commands.engine import limits_of, status_of
from autograde.course import Assignment, load_assignment, submitted_students
from autograde.course.config import CONFIG_NAME
from autograde.errors import UsageError
from autograde.examiner.remote import ServerProcess
from autograde.executors import Executor, LocalExecutor
from autograde.exercises import manual_cells
from autograde.gradebook import Gradebook, sqlite_file
from autograde.grading import Graded, grade, is_recorded
from autograde.layout import CourseLayout
from autograde.lazy_executor import LazyExecutor
from autograde.limits import DEFAULT, Limits
from autograde.lock import course_lock
from autograde.outcome import Status
from autograde.progress import Progress, trouble_line
from autograde.record import FILE_NAME, load
from autograde.releases import releases_path, with_earlier_releases
from autograde.sandbox import Kind
from autograde.streams import say
from autograde.unchanged import Answer, Keeper, Question
from autograde.watched import Places


def run(
    arguments: argparse.Namespace, question: Question | None = None, warm: ServerProcess | None = None
) -> int:
    """Grade, show progress, write the JSON; return the exit status.

    Args:
        arguments: The options of the command line.
        question: What to keep the answer for, in case nothing changes; None keeps none.
        warm: A server of the examiner that warms up already.
    """
    layout = CourseLayout.of(arguments.course)
    limits = limits_of(arguments)
    if arguments.json is not None:
        check_folder(arguments.json)

    def make_executor(assignment: Assignment) -> AbstractContextManager[Executor]:
        return LocalExecutor(
            assignment,
            jobs=arguments.jobs,
            sandbox=arguments.sandbox,
            limits=limits,
            hidden=(layout.root,),
            warm=warm,
        )

    keeper = None if question is None else _keeper(layout, question)

    def afterwards(assignment: Assignment, graded: Sequence[Graded]) -> None:
        if keeper is not None:
            keeper.keep(lambda: _unchanged(layout, assignment, graded))

    graded = grade_course(
        layout,
        arguments.assignment,
        make_executor,
        sandbox=arguments.sandbox,
        limits=limits,
        db_url=arguments.db,
        students=arguments.student,
        force=arguments.force,
        afterwards=afterwards,
    )
    if arguments.json is not None:
        write_json(arguments.json, arguments.assignment, graded)
    for line in _closing(layout, arguments.assignment, arguments.db, graded):
        say(line)
    if arguments.json is not None:
        say(f"outcomes: {arguments.json}")
    return status_of(each.result for each in graded)


def grade_course(
    layout: CourseLayout,
    name: str,
    make_executor: Callable[[Assignment], AbstractContextManager[Executor]],
    *,
    sandbox: Kind = "bwrap",
    limits: Limits = DEFAULT,
    db_url: str | None = None,
    students: Sequence[str] | None = None,
    force: bool = False,
    afterwards: Callable[[Assignment, Sequence[Graded]], None] = lambda assignment, graded: None,
) -> list[Graded]:
    """Grade an assignment under the course's lock; return the outcomes, ordered by student.

    Submissions that arrive while the grader works are graded too. What was graded in another `sandbox`
    than this one is graded again. `afterwards` is called with the assignment and the outcomes, still under
    the lock.

    Raises:
        UsageError: The assignment, a student or the database can't be used, or another grader is at work.
        InfrastructureError: Results can't be written.
    """
    loaded = load_assignment(layout.root, name)
    wanted = list(students) if students else submitted_students(layout.root, name)
    seen: set[str] = set()
    outcomes: dict[str, Graded] = {}
    with (
        course_lock(layout.autograded_root),
        LazyExecutor(lambda: make_executor(assignment)) as executor,
    ):
        assignment = with_earlier_releases(layout.autograded_root, loaded)
        if force or not all(_was_graded(layout, student, name) for student in wanted):
            executor.start()
        with (
            Gradebook(db_url or layout.db_url, layout.course_id, layout.late_policy()) as gradebook,
            gradebook.batch(),
            Progress(len(wanted)) as progress,
        ):
            for note in gradebook.register(assignment):
                progress.say(note)
            while wanted:
                for graded in grade(
                    layout,
                    assignment,
                    gradebook,
                    executor,
                    sandbox=sandbox,
                    limits=limits,
                    students=wanted,
                    force=force,
                ):
                    outcomes[graded.result.student_id] = graded
                    progress.show(graded)
                seen.update(wanted)
                arrived = [] if students else submitted_students(layout.root, name)
                wanted = [student for student in arrived if student not in seen]
                progress.expect(len(wanted))
            if executor.problems is not None:
                save_problems(layout.autograded_root, assignment, executor.problems)
            gradebook.refresh_penalties(name)
        ordered = [outcomes[student] for student in sorted(outcomes)]
        afterwards(assignment, ordered)
    return ordered


def _was_graded(layout: CourseLayout, student_id: str, name: str) -> bool:
    return (layout.autograded(student_id, name) / FILE_NAME).is_file()


def _keeper(layout: CourseLayout, question: Question) -> Keeper | None:
    """Return what keeps the answer of this run; None where it depends on what can't be watched."""
    database = sqlite_file(layout.db_url)
    if database is None:
        return None
    name, folders, beside = question.assignment, layout.directories, layout.autograded_root
    # A link's journals lie beside what it leads to.
    files = [str(database), *(f"{database.resolve()}{end}" for end in ("", "-wal", "-shm", "-journal"))]
    places = Places(
        source=tuple(
            folders.format_path(step, ".", name)
            for step in (folders.source_directory, folders.source_with_tests_directory)
        ),
        config=str(layout.root / CONFIG_NAME),
        submitted=folders.format_path(folders.submitted_directory, "*", name),
        side_files=str(layout.autograded("*", name) / FILE_NAME),
        results=(*files, str(releases_path(beside, name)), str(problems_path(beside, name))),
    )
    return Keeper(question, layout.config, beside, places)


def _unchanged(layout: CourseLayout, assignment: Assignment, graded: Sequence[Graded]) -> Answer | None:
    """Return what a run in which nothing changed would say now; None if it would find something to do."""
    with Gradebook(layout.db_url, layout.course_id) as gradebook:
        if gradebook.register(assignment):
            return None
        recorded = gradebook.auto_scores(assignment.name)
    for each in graded:
        record = load(layout.autograded(each.result.student_id, assignment.name))
        if record is None or record.settled_result() != each.result:
            return None
        if each.result.status is Status.INFRASTRUCTURE_ERROR or not is_recorded(recorded, record.result):
            return None
    reused = [replace(each, reused=True) for each in graded]
    trouble = (trouble_line(each.result) for each in reused)
    return Answer(
        status_of(each.result for each in reused),
        tuple(_closing(layout, assignment.name, None, reused)),
        tuple(line for line in trouble if line is not None),
    )


def _closing(layout: CourseLayout, name: str, db_url: str | None, graded: Sequence[Graded]) -> Iterator[str]:
    """Yield what is said at the end."""
    yield from summary(name, graded)
    yield from _left_to_do(layout, name, db_url, graded)
    if not graded:
        yield f"looked in {layout.submitted('*', name)}"


def _left_to_do(layout: CourseLayout, name: str, db_url: str | None, graded: Sequence[Graded]) -> list[str]:
    """Return what the instructor must still see to: cells to grade by hand, faults of the assignment."""
    assignment = load_assignment(layout.root, name)
    by_hand = manual_cells(assignment)
    lines = []
    if by_hand and graded:
        with Gradebook(db_url or layout.db_url, layout.course_id) as gradebook:
            scores = gradebook.scores(name)
        students = {each.result.student_id for each in graded} & scores.keys()
        waiting = sum(key in by_hand for student in students for key in scores[student].undecided)
        if waiting:
            cells = "1 cell waits" if waiting == 1 else f"{waiting} cells wait"
            lines.append(f"{cells} for manual grading (Formgrader)")
    return [*lines, *load_problems(layout.autograded_root, assignment)]


def check_folder(path: Path) -> None:
    """Refuse a file that --json can't write, before anything is graded.

    Raises:
        UsageError: Its folder isn't there, or it is a folder itself.
    """
    if not path.parent.is_dir():
        raise UsageError(f"--json {path}: no such folder {path.parent}; make it or name another file")
    if path.is_dir():
        raise UsageError(f"--json {path}: it is a folder; name a file in it")


def write_json(path: Path, assignment: str, graded: Sequence[Graded]) -> None:
    """Write every outcome.

    Raises:
        UsageError: The file can't be written.
    """
    data = {"assignment": assignment, "submissions": [each.result.to_json() for each in graded]}
    text = json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    try:
        write_atomic(path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise UsageError(f"--json {path}: {error.strerror}; name a file that can be written") from error


def summary(assignment: str, graded: Sequence[Graded]) -> list[str]:
    """Return the lines that a person reads at the end."""
    counts = Counter(each.result.status for each in graded)
    unchanged = sum(each.reused for each in graded)
    parts = [f"{counts[status]} {status.value}" for status in Status if counts[status]]
    noun = "submission" if len(graded) == 1 else "submissions"
    lines = [f"{assignment}: {len(graded)} {noun}: {', '.join(parts) or 'none yet'}"]
    if unchanged:
        lines.append(f"{unchanged} unchanged, not run again")
    changes = [each for each in graded if not each.reused and _changed(each)]
    if changes:
        lines.append("changed scores:")
    for each in changes:
        old = None if each.previous is None else each.previous.score
        why = "resubmitted" if each.resubmitted else "regraded"
        lines.append(f"  {each.result.student_id}: {_points(old)} -> {_points(each.result.score)} ({why})")
    return lines


def _changed(graded: Graded) -> bool:
    return graded.previous is not None and graded.previous.score != graded.result.score


def _points(score: float | None) -> str:
    return "no score" if score is None else f"{score:g}"
