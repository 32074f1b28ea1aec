"""Examines one notebook of one submission: the student's cells there, the tests here, in notebook order."""

import math
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from autograde.examiner import verdicts, visibility
from autograde.examiner.authorship import first_after_hidden, own_words, shows_own_work
from autograde.examiner.client import CrashedError, StudentError, TimedOutError
from autograde.examiner.link import Alarm, Link, import_libraries
from autograde.examiner.names import WORD, bound_and_needed
from autograde.examiner.preload import loaded_modules
from autograde.examiner.stand_ins import StopTest
from autograde.examiner.student_side import BudgetSpentError, StudentSide
from autograde.examiner.task import Book, Cell, CellOutputs, CellPlan, Examined, LaidText
from autograde.examiner.unfinished import Unfinished
from autograde.examiner.visibility import FailureWording
from autograde.limits import Limits
from autograde.outcome import TestOutcome, TestResult
from autograde.plain_data import Bounds
from autograde.student.kernel import describe
from autograde.student.score import Value
from autograde.student.shell import Ran, Shell
from autograde.student.undrawn import undrawn

_STALLED_SECONDS = 1.0
_UNPARSED = {"SyntaxError", "IndentationError", "TabError"}
_MOST_SHOWN = 16 * 2**20  # characters of a notebook's outputs that are kept, each output a thousand at least
_CUT = {
    "output_type": "stream",
    "name": "stderr",
    "text": "[... 输出过多，其余未保留 / too much output, the rest is not kept ...]\n",
}


class NotebookExaminer:
    """Runs a notebook once; make a new one, in a fresh process, for the next.

    Args:
        shell: The examiner's interpreter, without any student code in it.
        side: The student's process.
        book: The instructor's notebook.
        plan: How its cells are examined.
        literals: Texts that a message may be: constants of the instructor's notebook.
        called: Hidden checks of an earlier notebook have called this student's code.
        limits: The submission's limits.
        fresh: Makes another student's process, in a scratch folder of its own.
        progress: Told the id of each test before it runs, and its result after.
        recording: The solution runs: what it gives is what submissions may give.
    """

    def __init__(
        self,
        shell: Shell,
        side: StudentSide,
        book: Book,
        plan: tuple[CellPlan, ...],
        literals: frozenset[str],
        called: bool,
        limits: Limits,
        fresh: Callable[[], StudentSide],
        progress: Callable[[str | TestResult], None],
        *,
        recording: bool,
    ):
        self._fresh = fresh
        self._literals = literals
        self._called = called
        self._shell = shell
        self._side = side
        self._book = book
        self._plan = plan
        self._limits = limits
        self._progress = progress
        bounds = Bounds(max_bytes=limits.reply_mib * 2**20)
        self._link = Link(side, shell.names, bounds, self._relay, recording=recording)
        self._stalled: set[str] = set()  # names whose code was too slow once: others' patience is not theirs
        self._unparsed: set[str] = set()  # names that answer cells with a syntax error should have bound
        self._unfinished = Unfinished(shell.names)
        self._room = _MOST_SHOWN
        self._count = 0
        self._spent = False
        self.result = Examined()

    def run(self, laid: tuple[LaidText, ...]) -> Examined:
        """Examine a laid notebook."""
        self._words = own_words(self._book, self._plan, laid)
        for item in laid:
            cell = None if item.source_index is None else self._book.cells[item.source_index]
            plan = CellPlan() if item.source_index is None else self._plan[item.source_index]
            self._link.seen.clear()
            if cell is not None and cell.is_test:
                self._test(item, cell, plan)
            else:
                self._other(item, cell, plan)
            if item.source_index is not None and self._link.seen:
                self.result.seen[item.source_index] = tuple(sorted(self._link.seen))
        self._side.close()
        if self._side.strays:
            self.result.notes.append(
                f"{self._book.name}: its process sent {self._side.strays} answers that nobody had asked for"
            )
        self._seal_outputs(laid)
        self.result.modules = loaded_modules()
        return self.result

    def _seal_outputs(self, laid: tuple[LaidText, ...]) -> None:
        """Keep what a hidden check called the student's code with out of what the student will read.

        A cell that runs after one could print it. Where the student wrote such a cell, or a person grades
        it, it is run again in a process that no check has called; other outputs after a hidden check are
        left out.
        """
        runs = self.result.runs
        first = first_after_hidden(self._book, laid, called=self._called)
        late = [index for index in range(first, len(laid)) if runs[index][0]]
        theirs = [index for index in late if shows_own_work(self._book, laid[index])]
        again: dict[int, CellOutputs] = {}
        if theirs:
            ended = [index for index, (_, count) in enumerate(runs) if count is None]
            again = self._run_again(laid[: theirs[-1] + 1], ended)
        for index in late:
            outputs, _ = again.get(index, ((), None)) if index in theirs else ((), None)
            runs[index] = (outputs, runs[index][1])

    def _run_again(self, laid: tuple[LaidText, ...], left_out: list[int]) -> dict[int, CellOutputs]:
        self._side = self._fresh()
        self._room = _MOST_SHOWN
        outputs = {}
        for index, item in enumerate(laid):
            if not item.code or index in left_out or self._spent:
                continue
            plan = CellPlan() if item.source_index is None else self._plan[item.source_index]
            cell = None if item.source_index is None else self._book.cells[item.source_index]
            outputs[index] = self._run_there(
                item.text, self._allowed(plan, cell), figures=self._figures(item, cell, plan)
            )
        self._side.close()
        return outputs

    def _figures(self, item: LaidText, cell: Cell | None, plan: CellPlan) -> str:
        if cell is not None and (cell.manual or cell.role == "graded_answer"):
            return "shown"
        unchanged = cell is not None and item.text == cell.source
        return "undrawn" if plan.undrawn and unchanged and not self._words & set(plan.binds) else "made"

    # cells that are not judged by running them

    def _other(self, item: LaidText, cell: Cell | None, plan: CellPlan) -> None:
        outputs: CellOutputs = ((), None)
        if item.code and not self._spent:
            outputs = self._run_there(
                item.text, self._allowed(plan, cell), figures=self._figures(item, cell, plan)
            )
        self.result.runs.append(outputs)
        if cell is not None and any(output.get("ename") in _UNPARSED for output in outputs[0]):
            self._unparsed |= bound_and_needed(cell.source)[0]
        if cell is not None and cell.code and cell.role == "given" and not plan.skipped:
            self._run_given(cell, plan)
        if cell is not None and cell.is_graded:
            self.result.tests.append(verdicts.by_hand(item, cell))

    def _run_there(self, text: str, seconds: float, *, figures: str = "made") -> CellOutputs:
        """Run a cell in the student's process, whatever comes of it."""
        self._count += 1
        try:
            outputs, *_ = self._side.run_cell(text, seconds, figures=figures)
        except BudgetSpentError:
            self._spend()
            return ((), None)
        except StudentError as error:
            if isinstance(error, TimedOutError):
                self._stalled |= set(WORD.findall(text))
            failure = {
                "output_type": "error",
                "ename": type(error).__name__.removesuffix("Error"),
                "evalue": str(error),
                "traceback": [str(error)],
            }
            return ((failure,), self._count)
        return (self._kept(outputs), self._count)

    def _kept(self, outputs: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
        """Return a cell's outputs, as many as there is room for: a notebook may have thousands of cells."""
        for number, output in enumerate(outputs):
            if self._room < 0:
                return ()
            texts = [*output.get("data", {}).values(), *output.get("traceback", ()), output.get("text", "")]
            self._room -= 1000 + sum(map(len, texts))
            if self._room < 0:
                return (*outputs[:number], _CUT)
        return tuple(outputs)

    def _run_given(self, cell: Cell, plan: CellPlan) -> None:
        """Run an instructor's cell here, with the student's names it uses; tests will find what it lacks."""
        seconds = self._limits.cell_seconds
        self._link.begin(seconds, self._call_seconds(plan), plan.seen, is_test=False, follow_random=False)
        with undrawn() if plan.undrawn else nullcontext():
            ran = self._run_here(cell.source, plan, self._allowed(plan, cell))
        self._mind_unreadable(plan, ran)
        self._unfinished.ended(cell.source, self._stop_of(cell))

    def _stop_of(self, cell: Cell) -> TestResult | None:
        """Return why the examiner stopped an instructor's cell; None if it ended as in a notebook.

        That includes an exception of the student's: what the cell has bound by then stays, as for nbgrader.
        """
        trouble = self._link.trouble
        return None if trouble is None else verdicts.troubled(cell, trouble)

    def _mind_unreadable(self, plan: CellPlan, ran: Ran | None) -> None:
        """Find trouble where a cell used a value that could not cross without touching it."""
        link = self._link
        ended = link.trouble is None and ran is not None and ran.error is None
        if ended and link.unreadable & set(plan.loads):
            link.trouble, link.remark = TestOutcome.NEEDS_REVIEW, "a value that the test uses cannot cross"

    # tests

    def _test(self, item: LaidText, cell: Cell, plan: CellPlan) -> None:
        if self._spent:
            self.result.runs.append(((), None))
            self.result.tests.append(verdicts.troubled(cell, TestOutcome.NOT_REACHED))
            return
        self._progress(cell.grade_id)
        if plan.shared:
            self.result.tests.append(self._shared_test(cell, plan))
            self.result.runs.append(((), None))
            return
        stop = self._unfinished.reached_by(cell.source)
        verdict = self._separate_test(cell, plan)
        if stop is not None:
            self.result.notes.append(f"{cell.grade_id}: a cell that it uses did not come to its end")
            verdict = verdicts.verdict(cell, stop.outcome, stop.points, stop.message)
        self._unfinished.ended(cell.source, stop or self._stop_of(cell))
        self._progress(verdict)
        self.result.tests.append(verdict)
        ended = verdict.outcome is TestOutcome.TIMED_OUT or self._link.trouble is TestOutcome.ERROR
        if ended or self._spent:
            self.result.runs.append(((), None))
        else:
            self.result.runs.append(self._run_there(item.text, self._allowed(plan, cell)))

    def _separate_test(self, cell: Cell, plan: CellPlan) -> TestResult:
        seconds = self._allowed(plan, cell)
        follow_random = "seed" in cell.source
        self._link.begin(
            seconds, self._call_seconds(plan), plan.seen, is_test=True, follow_random=follow_random
        )
        ran = self._run_here(cell.source, plan, seconds)
        link = self._link
        self._mind_unreadable(plan, ran)
        if link.trouble is not None:
            return self._in_trouble(cell, plan, link.trouble, link.remark)
        if ran is None:
            return self._in_trouble(cell, plan, TestOutcome.ERROR, "no verdict")
        if ran.error is None:
            return self._passed(cell, plan, ran.value)
        asked = {*plan.names, *dict(plan.libraries)}
        if isinstance(ran.error, NameError) and not self._unparsed.isdisjoint(asked):
            return verdicts.verdict(cell, TestOutcome.ERROR, 0.0, visibility.SYNTAX_ERROR)
        name, _, text, lines = describe(ran.error, ran.filename)
        wording = self._wording(cell)
        for error, own_name, own_bases, own_text in link.relayed:
            if error is ran.error:
                message = wording.answer_raised(own_name, own_bases, own_text, lines)
                return verdicts.verdict(cell, TestOutcome.ERROR, 0.0, message)
        failed = TestOutcome.FAILED if isinstance(ran.error, AssertionError) else TestOutcome.ERROR
        return verdicts.verdict(cell, failed, 0.0, wording.own_failure(name, text, lines))

    def _shared_test(self, cell: Cell, plan: CellPlan) -> TestResult:
        """Run a test that needs live objects in the student's process: its verdict is as good as they are."""
        try:
            reply = self._side.run_cell(cell.source, self._allowed(plan, cell))
        except BudgetSpentError:
            self._spend()
            return verdicts.troubled(cell, TestOutcome.NOT_REACHED)
        except TimedOutError as error:
            return self._in_trouble(cell, plan, TestOutcome.TIMED_OUT, str(error))
        except StudentError as error:
            return self._in_trouble(cell, plan, TestOutcome.ERROR, str(error))
        self._count += 1
        _, error_there, value, _ = reply
        if error_there is None:
            return self._passed(cell, plan, value)
        name, bases, text, told = error_there
        # Code that may have read a hidden check could tell of it by what it raises, and where.
        readable = not (cell.hides or self._hidden_before(cell))
        count = len(cell.source.splitlines())
        lines = [line for line in told if readable and 0 < line <= count]
        failed = TestOutcome.FAILED if "AssertionError" in bases else TestOutcome.ERROR
        wording = self._wording(cell)
        if "NotImplementedError" in bases and "StdinNotImplementedError" not in bases:
            return verdicts.verdict(cell, failed, 0.0, wording.answer_raised(name, bases, text, lines))
        return verdicts.verdict(cell, failed, 0.0, wording.own_failure(name, text, lines))

    def _run_here(self, source: str, plan: CellPlan, seconds: float) -> Ran | None:
        """Run an instructor's cell in this process; None if the student's process stopped it."""
        link = self._link
        import_libraries(self._shell.names, plan.libraries)  # ours: a slow import is nobody's time-out
        try:
            with Alarm(link, seconds):
                link.fetch(plan.names, (name for name, _ in plan.libraries))
                self._shell.outputs.clear()
                return self._shell.run(source)
        except StopTest:
            return None
        except BudgetSpentError:
            self._spend()
            link.trouble, link.remark = TestOutcome.NOT_REACHED, "the submission's time is used up"
        except TimedOutError as error:
            link.trouble, link.remark = TestOutcome.TIMED_OUT, str(error)
        except CrashedError as error:
            link.trouble, link.remark = TestOutcome.ERROR, str(error)
        except StudentError as error:
            link.trouble, link.remark = TestOutcome.NEEDS_REVIEW, str(error)
        return None

    def _passed(self, cell: Cell, plan: CellPlan, value: Value | None) -> TestResult:
        result = verdicts.passed(cell, value, numeric=plan.numeric)
        if result.outcome is TestOutcome.NEEDS_REVIEW:
            gave = "no value" if value is None else value.text
            self.result.notes.append(f"{cell.grade_id}: its test gave {gave}, of {cell.points:g} points")
        return result

    def _in_trouble(self, cell: Cell, plan: CellPlan, trouble: TestOutcome, remark: str) -> TestResult:
        if trouble is TestOutcome.TIMED_OUT:
            self._stalled |= set(plan.names)
        elif trouble is TestOutcome.NOT_REACHED:
            self._spend()
        else:
            self.result.notes.append(f"{cell.grade_id}: {remark}")
        return verdicts.troubled(cell, trouble)

    def _wording(self, cell: Cell) -> FailureWording:
        called = self._hidden_before(cell)
        return FailureWording(cell.grade_id, cell.source, cell.released, self._literals, called=called)

    def _hidden_before(self, cell: Cell) -> bool:
        """Say whether the student's code has met a hidden check before this cell."""
        before = self._book.cells[: self._book.cells.index(cell)]
        return self._called or any(earlier.hides for earlier in before)

    # time

    def _spend(self) -> None:
        self._spent = True

    def _allowed(self, plan: CellPlan, cell: Cell | None) -> float:
        """Return the seconds that a cell may take: much more than the solution took, or the limit."""
        if cell is None:
            return self._limits.cell_seconds
        return min(max(plan.seconds * self._limits.slowdown, self._patience(plan)), self._limits.cell_seconds)

    def _call_seconds(self, plan: CellPlan) -> float:
        return min(max(plan.seconds * self._limits.slowdown, self._patience(plan)), self._limits.call_seconds)

    def _patience(self, plan: CellPlan) -> float:
        """Return the least that a cell gets: little, if code that it uses was too slow before."""
        stalled = not self._stalled.isdisjoint((*plan.names, *plan.binds))
        return min(self._limits.patience_seconds, _STALLED_SECONDS if stalled else math.inf)

    def _relay(self, out: str, err: str) -> None:
        if out:
            sys.stdout.write(out)
        if err:
            sys.stderr.write(err)
