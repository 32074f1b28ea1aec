"""What `grade` says to a class in which nothing changed, kept so that it need not look at every submission.

One file for each assignment beside the autograded submissions. It counts as long as the stats of all files
and everything else that a grading depends on are what they were; the least doubt, and the class is looked at
in full. Nothing here may import nbgrader: that takes longer than all the rest.
"""

import hashlib
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from traitlets.config import Config
from traitlets.config.loader import LazyConfigValue

from autograde.atomic import write_atomic
from autograde.course.config import load_config
from autograde.errors import AutogradeError
from autograde.limits import Limits
from autograde.lock import course_lock
from autograde.watched import Look, Places, UnseenError

_SCHEMA = 1
# Code or files of the course's own that a grading uses, and that nobody watches.
_FOREIGN = frozenset({"LateSubmissionPlugin", "AssignLatePenalties", "IncludeHeaderFooter"})
_STEPS = ("GenerateAssignment", "BaseConverter", "NbConvertBase")

_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run says in which nothing changed.

    Attributes:
        status: The exit status.
        said: Lines of standard output.
        trouble: Lines of standard error: submissions that need a person.
    """

    status: int
    said: tuple[str, ...]
    trouble: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What a user asks for.

    Attributes:
        course: The course's folder, as it is named.
        assignment: Name of the assignment.
        sandbox: What submissions run in.
        limits: What one may use.
    """

    course: Path
    assignment: str
    sandbox: str
    limits: Limits


def recall(question: Question) -> Answer | None:
    """Return the answer if nothing has changed since it was kept; None in any doubt.

    An error is nobody's concern here: who looks in full meets it too.
    """
    try:
        config = load_config(question.course)
        name = config.get("CourseDirectory", {}).get("autograded_directory", "autograded")
        folder = question.course.resolve() / str(name)
        path = _path(folder, question.assignment)
        if not path.is_file():
            return None
        with course_lock(folder):
            data = json.loads(path.read_bytes())
            places = Places(**{key: _frozen(value) for key, value in data["places"].items()})
            answer = Answer(**{key: _frozen(value) for key, value in data["answer"].items()})
            looks = (Look.at_inputs(places), Look.at_results(places))
            known = data["digest"] == _digest(question, config, places, looks, answer)
        return answer if known else None
    except (AutogradeError, UnseenError, OSError, *_DAMAGE):
        return None


class Keeper:
    """Keeps the answer of one run, if nothing changed while it ran.

    Args:
        question: What the run was asked.
        config: The course's configuration, as the run uses it.
        folder: Where the autograded submissions lie.
        places: What to watch.
    """

    def __init__(self, question: Question, config: Config, folder: Path, places: Places) -> None:
        """Look at what the run is about to read."""
        self._question = question
        self._config = config
        self._folder = folder
        self._places = places
        self._before: str | None = None
        if not _uses_foreign_code(config):
            with suppress(UnseenError):
                self._before = Look.at_inputs(places).digest

    def keep(self, ask: Callable[[], Answer | None]) -> None:
        """Keep an answer, under the course's lock; keep nothing if that can't be done.

        Args:
            ask: Asks the gradebook all that a run in which nothing changed would ask, and returns the answer;
                None if that run would do or say something else.
        """
        if self._before is None:
            return
        with suppress(AutogradeError, UnseenError, OSError):
            results = Look.at_results(self._places)
            answer = ask()
            inputs = Look.at_inputs(self._places)
            if answer is None or inputs.digest != self._before:
                return
            # A file that is changed right after we looked would keep its time stamps: they tick slowly.
            # So the last look, which counts, comes when the newest of them is past.
            if not (inputs.wait() and results.wait()):
                return
            looks = (Look.at_inputs(self._places), Look.at_results(self._places))
            if looks[0].digest != inputs.digest or looks[1].digest != results.digest:
                return
            data = {
                "places": asdict(self._places),
                "answer": asdict(answer),
                "digest": _digest(self._question, self._config, self._places, looks, answer),
            }
            write_atomic(_path(self._folder, self._question.assignment), json.dumps(data).encode())


def _path(folder: Path, assignment: str) -> Path:
    return folder / f".autograde.{assignment}.unchanged.json"


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _uses_foreign_code(config: Config) -> bool:
    steps = any("preprocessors" in config[section] for section in _STEPS if section in config)
    return steps or bool(_FOREIGN & config.keys())


def _described(value: Any) -> str:
    """Return a text that says all about a configured value; not its `repr`, which changes when it is used.

    Raises:
        UnseenError: There is no such text.
    """
    if isinstance(value, LazyConfigValue):
        return f"later {_described(value.to_dict())}"
    if isinstance(value, dict):
        pairs = (f"{_described(key)}: {_described(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__} [{', '.join(map(_described, value))}]"
    if value is None or isinstance(value, str | int | float | Path | type):
        return repr(value)
    raise UnseenError(f"a configured {type(value).__name__}")


def _digest(question: Question, config: Config, places: Places, looks: Sequence[Look], answer: Answer) -> str:
    """Return a hash of all that must be equal, and of what is kept: a damaged file has another."""
    parts = (
        _SCHEMA,
        os.fspath(question.course.resolve()),
        question.assignment,
        question.sandbox,
        repr(question.limits),
        platform.python_version(),
        os.geteuid(),  # another user may read other files
        (*time.tzname, time.timezone, time.altzone),  # time stamps may name a zone
        _described(config),  # it may hold passwords, of which a hash alone is kept
        asdict(places),
        asdict(answer),
        [look.digest for look in looks],
    )
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
