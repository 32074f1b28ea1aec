"""Examines one submission, in a process forked for it: nothing of it is left for the next."""

import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograde.examiner import visibility
from autograde.examiner.client import Container
from autograde.examiner.messages import run_in_forks
from autograde.examiner.notebook import NotebookExaminer
from autograde.examiner.student_side import StudentSide
from autograde.examiner.task import Examined, Plan, Report, Task, Work
from autograde.outcome import TestOutcome, TestResult
from autograde.sandbox import FILES, Zygote
from autograde.student.kernel import reseed
from autograde.student.shell import Shell, prepare_figures

_LARGE = 2**18  # bytes above which a file of the assignment is linked, not copied
_GREEDY_NOTE = "its processes wanted more than one processor at once: they got one, at the lowest priority"


@dataclass(frozen=True, slots=True)
class Bench:
    """What every submission of an assignment is examined with.

    Attributes:
        task: The assignment.
        plan: How its cells are examined.
        zygote: The warm process of the students' side.
        shell: The examiner's interpreter, unused so far.
        files: Folder with the assignment's files.
        scratch: Folder for the examiner's working folders.
        literals: For each notebook, the constants that a message may be.
        recording: The solution runs: what it gives is what submissions may give.
    """

    task: Task
    plan: Plan
    zygote: Zygote
    shell: Shell
    files: Path
    scratch: Path
    literals: tuple[frozenset[str], ...]
    recording: bool = False


Progress = Callable[[int, str | TestResult], None]


def examine(bench: Bench, work: Work, progress: Progress) -> Report:
    """Examine one submission.

    Args:
        bench: What to examine with; its shell is used up.
        work: The submission.
        progress: Told the notebook's number and, before each test, its id, after it, its result.

    Raises:
        InfrastructureError: If we failed, not the student.
    """
    began = time.monotonic()
    report = Report()
    students = Students(bench, work)
    present = [number for number, laid in enumerate(work.books) if laid]
    try:
        for number in range(len(bench.task.books)):
            if number not in present:
                report.tests.append(_absent(bench.task, number, work))
                report.runs.append([])
                report.seen.append({})
                continue
            deadline = began + bench.task.limits.submission_seconds

            def one(number: int = number, deadline: float = deadline) -> Examined:
                return _examine_book(bench, work, number, students, deadline, progress)

            examined = one() if number == present[-1] else _in_fork(one, students)
            report.tests.append(examined.tests)
            report.runs.append(examined.runs)
            report.notes += examined.notes
            report.modules |= examined.modules
            report.seen.append(examined.seen)
    finally:
        students.close()
    if students.greedy:
        report.notes.append(_GREEDY_NOTE)
    report.peak_kib = students.peak_kib
    report.seconds = time.monotonic() - began
    return report


class Students:
    """The submission's container, opened when it is first needed and again if it was lost.

    Args:
        bench: Where it comes from.
        work: Whose it is.
    """

    def __init__(self, bench: Bench, work: Work):
        self._bench = bench
        self._work = work
        self._container: Container | None = None
        self.peak_kib = 0
        self.greedy = False

    def open(self) -> Container:
        """Return the container."""
        if self._container is None or self._container.dead:
            self.close()
            files, links = dict(self._work.files), {}
            seen = FILES if self._bench.zygote.kind == "bwrap" else str(self._bench.files)
            for path in sorted(self._bench.files.rglob("*")):
                if path.is_file():
                    name = str(path.relative_to(self._bench.files))
                    files.pop(name, None)
                    if path.stat().st_size > _LARGE:
                        links[name] = f"{seen}/{name}"
                    else:
                        files[name] = path.read_bytes()
            limits, scratch = self._bench.task.limits, self._bench.scratch
            self._container = Container(self._bench.zygote, limits, files, links, scratch)
        return self._container

    def open_another(self) -> Container:
        """Return a new container: nothing that ran so far has been in its scratch folder."""
        self.close()
        return self.open()

    def close(self) -> None:
        """End everything in it."""
        if self._container is not None:
            self._container.close()
            self.peak_kib = max(self.peak_kib, self._container.peak_kib)
            self.greedy = self.greedy or self._container.watch.greedy
            self._container = None


def _examine_book(
    bench: Bench, work: Work, number: int, students: Students, deadline: float, progress: Progress
) -> Examined:
    limits = bench.task.limits
    folder = Path(tempfile.mkdtemp(dir=bench.scratch))
    try:
        _lay_out(bench.files, folder)
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        _limit_memory(limits.memory_mib)
        prepare_figures(bench.shell, render=False)
        bench.shell.take_streams()
        reseed()
        side = StudentSide(students.open, limits, deadline)
        examiner = NotebookExaminer(
            bench.shell,
            side,
            bench.task.books[number],
            bench.plan.books[number],
            bench.literals[number],
            any(cell.hides for book in bench.task.books[:number] for cell in book.cells),
            limits,
            lambda: StudentSide(students.open_another, limits, deadline),
            lambda what: progress(number, what),
            recording=bench.recording,
        )
        return examiner.run(work.books[number])
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)


def _limit_memory(mib: int) -> None:
    """Keep what a test builds from a student's number within bounds: twice what the student may use."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + 2 * mib * 2**20, hard))


def _lay_out(files: Path, folder: Path) -> None:
    for path in files.rglob("*"):
        target = folder / path.relative_to(files)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.stat().st_size > _LARGE:
                target.symlink_to(path)
            else:
                shutil.copyfile(path, target)


def _in_fork(one: Callable[[], Examined], students: Students) -> Examined:
    """Run one notebook in a process of its own: the next starts from a clean examiner."""
    container = students.open()  # here, so that the notebooks share it
    container.watch.stop()

    def watched() -> Examined:
        container.watch.start()
        return one()

    examined: Examined
    (examined,) = run_in_forks([watched])
    container.watch.start()
    return examined


def _absent(task: Task, number: int, work: Work) -> list[TestResult]:
    graded = [cell for cell in task.books[number].cells if cell.is_graded]
    if work.unreadable:
        return [
            TestResult(c.grade_id, TestOutcome.NEEDS_REVIEW, None, c.points, visibility.REVIEW)
            for c in graded
        ]
    return [
        TestResult(c.grade_id, TestOutcome.NOT_REACHED, 0.0, c.points, visibility.NO_NOTEBOOK) for c in graded
    ]
