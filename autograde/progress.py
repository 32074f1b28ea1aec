"""What a grader says while it works: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from contextlib import suppress
from typing import Self, TextIO

from tqdm import tqdm

from autograde.grading import Graded
from autograde.outcome import Status, SubmissionResult
from autograde.printable import one_line

LINE_EVERY_S = 5.0


class Progress:
    """Shows count, rate, remaining time and current trouble; a context manager.

    Args:
        total: Submissions to expect; 0 if not known.
        stream: Where to write; None for standard error. Grading goes on if it can't be written.
    """

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        """Start at nothing done."""
        self._stream = stream = sys.stderr if stream is None else stream
        self._total = total
        self._started = self._last_line = time.monotonic()
        self._done = self._trouble = self._told = 0
        self._bar = tqdm(total=total or None, unit="submission", file=stream) if stream.isatty() else None

    def __enter__(self) -> Self:
        """Return the progress itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Finish the bar, or write the last line."""
        if self._bar is not None:
            self._bar.close()
        elif self._done > self._told:
            self._line()

    def expect(self, more: int) -> None:
        """Count `more` submissions that arrived meanwhile."""
        self._total += more
        if self._bar is not None:
            self._bar.total = self._total or None

    def show(self, graded: Graded) -> None:
        """Count one more submission and say so if it is in trouble."""
        self._done += 1
        trouble = trouble_line(graded.result)
        if trouble is not None:
            self._trouble += 1
            self.say(trouble)
        if self._bar is not None:
            self._bar.set_postfix_str(f"{self._trouble} in trouble" if self._trouble else "", refresh=False)
            self._bar.update()
        elif time.monotonic() - self._last_line >= LINE_EVERY_S:
            self._line()

    def _line(self) -> None:
        self._last_line, self._told = time.monotonic(), self._done
        seconds = max(self._last_line - self._started, 1e-9)
        rate = self._done / seconds
        parts = [f"{self._done}/{self._total or '?'} submissions", f"{rate:.1f}/s"]
        if self._done < self._total:
            parts.append(f"about {(self._total - self._done) / rate:.0f} s left")
        parts.append(f"{self._trouble} in trouble")
        self._write(", ".join(parts))

    def say(self, line: str) -> None:
        """Write a line without disturbing the bar."""
        if self._bar is not None:
            self._bar.write(line, file=self._stream)
        else:
            self._write(line)

    def _write(self, line: str) -> None:
        with suppress(OSError):  # a full disk or a closed pipe must not stop the class
            print(line, file=self._stream, flush=True)


def trouble_line(result: SubmissionResult) -> str | None:
    """Return what to say of a submission in trouble; None of any other."""
    if result.status not in (Status.NEEDS_REVIEW, Status.INFRASTRUCTURE_ERROR):
        return None
    note = f": {result.notes[0]}" if result.notes else ""
    return f"{one_line(result.student_id)}: {result.status.value}{note}"
