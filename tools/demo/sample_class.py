"""The sample class: who answers what, and what has happened to their files."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.demo import answers

ASSIGNMENT = "03_serving_overlap"
TODOS = {
    "TODO 1": "todo1-exposed-interval",
    "TODO 2": "todo2-handoff-estimate",
    "TODO 3": "todo3-handoff-state",
    "TODO 4": "todo4-decode-start",
}
_RIGHT = (answers.EXPOSED_LOOPS, answers.ESTIMATE, answers.VALIDATE, answers.PLAN)

Files = dict[str, bytes]


@dataclass(frozen=True)
class Student:
    """One member of the sample class.

    Attributes:
        student_id: The folder's name.
        language: Which release edition was worked on.
        story: What happened, for the table.
        answers: The four answer cells, in order; None leaves a stub as it is.
        mishap: Changes the files after the answers are in; name -> bytes, in place.
    """

    student_id: str
    language: str
    story: str
    answers: tuple[str | None, ...] = _RIGHT
    mishap: Callable[[Files], None] = field(default=lambda files: None)


def _edit(name: str, change: Callable[[dict[str, Any]], None]) -> Callable[[Files], None]:
    def mishap(files: Files) -> None:
        notebook = json.loads(files[name])
        change(notebook)
        files[name] = json.dumps(notebook, ensure_ascii=False, indent=1).encode()

    return mishap


def _answered(position: int, answer: str | None) -> tuple[str | None, ...]:
    return (*_RIGHT[:position], answer, *_RIGHT[position + 1 :])


def _cell(notebook: dict[str, Any], grade_id: str) -> dict[str, Any]:
    found: dict[str, Any] = next(
        cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )
    return found


def _weaken_test(notebook: dict[str, Any]) -> None:
    _cell(notebook, "todo4-decode-start-test-deadline")["source"] = "assert True"


def _delete_test(notebook: dict[str, Any]) -> None:
    notebook["cells"].remove(_cell(notebook, "todo1-exposed-interval-test-clip"))


def _rename(files: Files) -> None:
    files["exposed_time (1).ipynb"] = files.pop("exposed_time.ipynb")


def _forget(files: Files) -> None:
    del files["exposed_time.ipynb"]


def _truncate(files: Files) -> None:
    files["state_handoff.ipynb"] = files["state_handoff.ipynb"][:20_000]


CLASS = (
    Student("ada", "zh", "full marks, plain loops"),
    Student("bo", "en", "full marks, slices of time",
            (answers.EXPOSED_SLICES, answers.ESTIMATE_BITS, answers.VALIDATE, answers.PLAN)),
    Student("chen", "zh", "full marks, numpy",
            (answers.EXPOSED_NUMPY, answers.ESTIMATE, answers.VALIDATE, answers.PLAN)),
    Student("dina", "en", "TODO 1 counts shared instants twice", _answered(0, answers.EXPOSED_COUNTED_TWICE)),
    Student("emil", "en", "TODO 1 does not clip", _answered(0, answers.EXPOSED_NOT_CLIPPED)),
    Student("fang", "zh", "TODO 2 forgets bits and bytes", _answered(1, answers.ESTIMATE_NO_EIGHT)),
    Student("gita", "en", "TODO 2 forgets the latency", _answered(1, answers.ESTIMATE_NO_LATENCY)),
    Student("hugo", "zh", "TODO 3 accepts newer versions", _answered(2, answers.VALIDATE_NEWER_IS_FINE)),
    Student("ines", "en", "TODO 3 never looks at the id", _answered(2, answers.VALIDATE_NO_ID)),
    Student("jun", "zh", "TODO 4 gives up exactly at the deadline", _answered(3, answers.PLAN_STRICT)),
    Student("kira", "en", "TODO 4 the wrong way round", _answered(3, answers.PLAN_EARLIEST)),
    Student("liu", "zh", "handed in the stubs", (None, None, None, None)),
    Student("mona", "en", "syntax error in TODO 2", _answered(1, answers.ESTIMATE_SYNTAX_ERROR)),
    Student("nils", "en", "endless loop in TODO 1", _answered(0, answers.EXPOSED_ENDLESS)),
    Student("olga", "zh", "weakened a test that costs points", _answered(3, answers.PLAN_STRICT),
            _edit("state_handoff.ipynb", _weaken_test)),
    Student("pia", "en", "deleted a test cell", mishap=_edit("exposed_time.ipynb", _delete_test)),
    Student("quan", "zh", "browser renamed the file", mishap=_rename),
    Student("rosa", "en", "sent one notebook of two", mishap=_forget),
    Student("sven", "en", "upload broke off", mishap=_truncate),
    Student("tao", "zh", "an answer that equals everything", _answered(0, answers.EXPOSED_ALWAYS_EQUAL)),
)  # fmt: skip


def submission_files(student: Student, release: Path) -> Mapping[str, bytes]:
    """Return what a student hands in: file name -> content.

    Args:
        student: The student.
        release: The folder that holds ``zh/`` and ``en/``.
    """
    written = dict(zip(TODOS.values(), student.answers, strict=True))
    files: Files = {}
    for path in sorted((release / student.language / ASSIGNMENT).glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            answer = written.get(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))
            if answer is not None:
                cell["source"] = answer.strip()
        files[path.name] = json.dumps(notebook, ensure_ascii=False, indent=1).encode()
    student.mishap(files)
    return files
