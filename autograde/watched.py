"""Whether anything that a grading depends on has changed, told from the stats of files alone."""

import hashlib
import os
import stat
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from autograde.course.submitted import student_folders

# The kernel stamps a change with the time of its last tick, some milliseconds ago.
_TICK_NS = 20_000_000
_SECOND_NS = 1_000_000_000
_PACKAGE = Path(__file__).parent


class UnseenError(Exception):
    """Something can't be looked at, or isn't there where a finished grading has it."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where all that matters for one assignment lies, as absolute paths.

    Attributes:
        source: Folders of the instructor's files.
        config: The course's configuration, which need not be there.
        submitted: Pattern of the students' folders; ``*`` stands for the student.
        side_files: Pattern of the students' side files.
        results: Other files that gradings and people write, which need not be there.
    """

    source: tuple[str, ...]
    config: str
    submitted: str
    side_files: str
    results: tuple[str, ...]


class Look:
    """One look at some files: equal looks saw the same.

    Attributes:
        settled_at: When a change can no longer be hidden, in nanoseconds: one within the granularity of time
            stamps leaves the stats of a file as they are.
    """

    def __init__(self) -> None:
        """See nothing yet."""
        self._hash = hashlib.sha256()
        self.settled_at = 0

    @property
    def digest(self) -> str:
        """A hash of all that was seen."""
        return self._hash.hexdigest()

    @classmethod
    def at_inputs(cls, places: Places) -> "Look":
        """Look at what the grader reads: the course, and the grader itself.

        Raises:
            UnseenError: Something can't be looked at.
        """
        look = cls()
        try:
            look._inputs(places)
        except (OSError, RecursionError) as error:
            raise UnseenError(str(error)) from error
        return look

    @classmethod
    def at_results(cls, places: Places) -> "Look":
        """Look at what the grader wrote.

        Raises:
            UnseenError: Something can't be looked at, or a student's side file is not there.
        """
        look = cls()
        try:
            for student, _ in sorted(student_folders(places.submitted)):
                if not look._add(places.side_files.replace("*", student)):
                    raise UnseenError(f"{student} has no side file")
            for path in places.results:
                look._add(path)
        except OSError as error:
            raise UnseenError(str(error)) from error
        return look

    def wait(self, longest: float = 0.1) -> bool:
        """Wait until the newest change is far enough in the past to tell the next one from it.

        Args:
            longest: Seconds. A later time is that of another clock, or of a file system that counts seconds.

        Returns:
            Whether it is.
        """
        missing = (self.settled_at - time.time_ns()) / _SECOND_NS
        if 0 < missing <= longest:
            time.sleep(missing)
        return self.settled_at <= time.time_ns()

    def _inputs(self, places: Places) -> None:
        self._add(places.config)
        for folder in places.source:
            self._add_tree(folder, follow=True)
        for student, student_folder in sorted(student_folders(places.submitted)):
            self._note(student)
            self._add(str(student_folder.parent))
            self._add_tree(str(student_folder))
        self._add_tree(str(_PACKAGE))
        # Upgrading a package renames its folder of metadata; the grader's own holds its version.
        for entry in sys.path:
            if os.path.basename(entry) in ("site-packages", "dist-packages"):  # noqa: PTH119
                self._add(entry, times=True)

    def _add_tree(self, path: str, *, follow: bool = False) -> None:
        """Add a folder, its entries and all below; links to folders further down are not entered."""
        status = self._add(path, follow=follow)
        if status is None or not stat.S_ISDIR(status.st_mode):
            return
        with os.scandir(path) as entries:
            names = sorted(
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if entry.name != "__pycache__"  # Python's own, which running the grader changes
            )
        for name, is_folder in names:
            below = f"{path}{os.sep}{name}"
            if is_folder:
                self._add_tree(below, follow=follow)
            else:
                self._add(below, follow=follow)
        self._note(f"end of {len(names)}")

    def _add(self, path: str, *, follow: bool = False, times: bool = False) -> os.stat_result | None:
        """Add what is known of a path; return it, or None if nothing is there."""
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            self._note(f"{path}: nothing")
            return None
        self._add_status(path, status, times)
        if follow and stat.S_ISLNK(status.st_mode):
            try:
                status = os.stat(path)  # noqa: PTH116
            except (FileNotFoundError, NotADirectoryError):
                self._note("leads nowhere")
                return None
            self._add_status("leads to", status, times)
        return status

    def _add_status(self, path: str, status: os.stat_result, times: bool) -> None:
        seen = [status.st_dev, status.st_ino, status.st_mode]
        # Of a folder the entries count: its times follow clutter, and temporary files beside a gradebook.
        if times or not stat.S_ISDIR(status.st_mode):
            seen += [status.st_uid, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
            whole = status.st_ctime_ns % _SECOND_NS == 0  # a file system that may count seconds, or pairs
            margin = 2 * _SECOND_NS if whole else 0
            self.settled_at = max(self.settled_at, status.st_ctime_ns + margin + _TICK_NS)
        self._note(f"{path}: {seen}")

    def _note(self, text: str) -> None:
        self._hash.update(text.encode("utf-8", "surrogateescape") + b"\0")
