"""Which of a student's files is which notebook of the assignment.

The exact name decides where its content does not speak against it. Otherwise content decides (a notebook
belongs where most of its cells come from), then resemblance of names. Two files that both hold work for one
notebook, none of them with its exact name, are left to a person.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import unquote

from autograde.course import Role, Submission, normal_text
from autograde.intake.read import RawNotebook, read_notebook
from autograde.intake.template import Template, bound_names

_MAX_CANDIDATES = 30
_COPY_MARKS = re.compile(
    r"\(\d+\)|copy of|copy ?\d*|的?副本|\b(final|submission|submitted|solution|done|answers?|v\d+|new)\b"
)
_ARCHIVES = (".zip", ".gz", ".tar", ".rar", ".7z")
_OTHER_FORMS = (".py", ".html", ".htm", ".pdf", ".docx", ".doc", ".md", ".txt", ".rtf", ".json")


@dataclass(slots=True)
class Choice:
    """The file that stands for one notebook of the assignment.

    Attributes:
        path: The file, relative to the student's folder; "" if there is none.
        raw: What it says; None if there is none or it cannot be used.
        repairs: How it was found, if not by its name.
        problems: Why none can be used, if a person must look.
        notes: Other remarks.
    """

    path: str = ""
    raw: RawNotebook | None = None
    repairs: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def is_notebook_name(path: str) -> bool:
    """Tell whether a file name says that the file is, or was, a notebook."""
    name = PurePosixPath(path).name.lower()
    return ".ipynb" in name and not name.startswith(("._", "~$"))


def is_clutter(path: str) -> bool:
    """Tell whether a path is a checkpoint that Jupyter made by itself."""
    return ".ipynb_checkpoints" in PurePosixPath(path).parts


def choose(templates: tuple[Template, ...], marks: "Marks", submission: Submission) -> tuple[Choice, ...]:
    """Choose a file for each notebook of the assignment, in the assignment's order."""
    named = [p for p in submission.files if is_notebook_name(p) and not is_clutter(p)]
    if set(named) == {f"{template.name}.ipynb" for template in templates}:
        raws = [read_notebook(submission.files[f"{t.name}.ipynb"]) for t in templates]
        if all(raw.problem or marks.has(raw, k) for k, raw in enumerate(raws)) or len(templates) == 1:
            return tuple(_exact(t, raw) for t, raw in zip(templates, raws, strict=True))
    return _Chooser(templates, marks, submission, named).run()


def _exact(template: Template, raw: RawNotebook) -> Choice:
    choice = Choice(f"{template.name}.ipynb")
    if raw.problem:
        choice.problems.append(raw.problem)
    else:
        choice.raw = raw
    return choice


class Marks:
    """What only one notebook of the assignment has: ids, texts and names that tell where a file belongs."""

    def __init__(self, templates: tuple[Template, ...]) -> None:
        """Collect the marks of an assignment's notebooks."""
        self._count = len(templates)
        self._owner: dict[tuple[str, str], tuple[int, int]] = {}
        shared: set[tuple[str, str]] = set()
        for k, template in enumerate(templates):
            for mark, index in self._of(template):
                if self._owner.setdefault(mark, (k, index))[0] != k:
                    shared.add(mark)
        for mark in shared:
            del self._owner[mark]

    @staticmethod
    def _of(template: Template) -> Iterator[tuple[tuple[str, str], int]]:
        telling = [i for i, cell in enumerate(template.cells) if cell.role is not Role.PROSE]
        for index in telling:
            cell = template.cells[index]
            if cell.grade_id:
                yield ("grade_id", cell.grade_id), index
            if cell.own_id:
                yield ("cell_id", cell.cell_id), index
            if "\n" in template.released[index]:
                yield ("text", template.released[index]), index
        for name, index in template.owner.items():
            yield ("name", name), index

    def has(self, raw: RawNotebook, k: int) -> bool:
        """Tell by ids alone whether a file has something of a notebook: enough for most files."""
        return any(
            self._owner.get(key, (-1,))[0] == k
            for cell in raw.cells
            for key in (("grade_id", cell.grade_id or ""), ("cell_id", cell.cell_id or ""))
        )

    def found(self, raw: RawNotebook) -> list[int]:
        """Count for each notebook of the assignment how many of its own cells a file has something of."""
        found: list[set[int]] = [set() for _ in range(self._count)]
        for cell in raw.cells:
            keys = [("grade_id", cell.grade_id or ""), ("cell_id", cell.cell_id or "")]
            keys.append(("text", normal_text(cell.text)))
            keys += [("name", name) for name in bound_names(cell.text)]
            for key in keys:
                if key in self._owner:
                    k, index = self._owner[key]
                    found[k].add(index)
        return [len(indices) for indices in found]


def _untouched(template: Template, raw: RawNotebook) -> bool:
    """Tell whether a file holds no work: every answer cell as released, and nothing else that answers."""
    for cell in raw.cells:
        index = template.by_grade_id.get(cell.grade_id or "")
        if index is None:
            if template.claims(cell.text):
                return False
        elif index in template.answers and not template.is_stub(index, cell.text):
            return False
    return True


def _plain_name(path: str, student: str) -> str:
    """Reduce a file name to what a student has hardly changed."""
    name = unicodedata.normalize("NFKC", unquote(PurePosixPath(path).name)).casefold()
    name = name.split(".ipynb")[0]
    if len(student) > 2:
        name = name.replace(student.casefold(), " ")
    name = re.sub(r"[\s_-]+", " ", name)
    return re.sub(r"\W+", "", _COPY_MARKS.sub(" ", name))


class _Chooser:
    def __init__(
        self, templates: tuple[Template, ...], marks: Marks, submission: Submission, named: list[str]
    ) -> None:
        self.templates = templates
        self.marks = marks
        self.submission = submission
        self.exact = {f"{t.name}.ipynb": k for k, t in enumerate(templates)}
        ordered = sorted(named, key=lambda path: (path not in self.exact, path.count("/"), path))
        if not named:
            ordered = [p for p in sorted(submission.files) if p.lower().endswith(".json")]
        self.unread = ordered[_MAX_CANDIDATES:]
        files = submission.files
        self.raws = {path: read_notebook(files[path]) for path in ordered[:_MAX_CANDIDATES]}
        self.pool: list[list[str]] = [[] for _ in templates]
        self.unreadable = {path: raw.problem for path, raw in self.raws.items() if raw.problem}

    def run(self) -> tuple[Choice, ...]:
        misnamed = self._sort_by_content()
        choices = []
        for k, template in enumerate(self.templates):
            name = f"{template.name}.ipynb"
            choice = self._choose(k, template, name if name in self.raws and name not in misnamed else "")
            choices.append(choice)
        self._explain_missing(choices)
        return tuple(choices)

    def _sort_by_content(self) -> set[str]:
        """Give every readable file to the notebook it belongs to; return exact names with wrong content."""
        misnamed = set()
        for path, raw in self.raws.items():
            if raw.problem:
                continue
            scores = self.marks.found(raw)
            own = self.exact.get(path)
            best = max(range(len(scores)), key=lambda k: (scores[k], self._resembles(path, k)))
            if own is not None and (scores[own] > 0 or not scores[best]):
                continue
            if own is not None:
                misnamed.add(path)
            if scores[best] or self._resembles(path, best):
                self.pool[best].append(path)
        return misnamed

    def _resembles(self, path: str, k: int) -> bool:
        ours = _plain_name(self.templates[k].name, "")
        return bool(ours) and ours in _plain_name(path, self.submission.student_id)

    def _choose(self, k: int, template: Template, exact: str) -> Choice:
        others = self.pool[k]
        if exact and exact in self.unreadable:
            choice = Choice(exact, problems=[self.unreadable[exact]])
            if others:
                choice.notes.append(f"a readable file that may replace it: {', '.join(map(ascii, others))}")
            return choice
        worked = [path for path in others if not _untouched(template, self.raws[path])]
        if exact:
            if worked and _untouched(template, self.raws[exact]):
                return self._one_of(worked, f"{exact} is untouched; the work is in")
            choice = Choice(exact, self.raws[exact])
            if others:
                choice.notes.append(f"also sent and not graded: {', '.join(map(ascii, others))}")
            return choice
        return self._one_of(worked or others, "sent as") if others else Choice()

    def _one_of(self, paths: list[str], how: str) -> Choice:
        distinct = {tuple(cell.text for cell in self.raws[path].cells): path for path in reversed(paths)}
        names = ", ".join(map(ascii, paths))
        if len(distinct) > 1:
            return Choice(problems=[f"several files could be it ({names}); keep one, with the right name"])
        (path,) = distinct.values()
        return Choice(path, self.raws[path], repairs=[f"{how} {names}"])

    def _explain_missing(self, choices: list[Choice]) -> None:
        """Say for each notebook without a file whether something else may be it."""
        taken = {choice.path for choice in choices} | {path for paths in self.pool for path in paths}
        leftover = [p for p in self.raws if p not in taken]
        for k, (template, choice) in enumerate(zip(self.templates, choices, strict=True)):
            if choice.path or choice.problems:
                continue
            name = f"{template.name}.ipynb"
            suspects = {p: self.unreadable.get(p, "holds none of its cells") for p in leftover}
            suspects |= self._refused_and_foreign(k, name, alone=not any(other.path for other in choices))
            suspects |= self._inside_another(k, choices)
            if suspects:
                listed = "; ".join(f"{path!a}: {why}" for path, why in list(suspects.items())[:5])
                choice.problems.append(
                    f"not sent under its name, and what was sent cannot be used ({listed})"
                )
            elif any(other.path for other in choices):
                choice.notes.append("not sent; its tests earn nothing")
            else:
                choice.problems.append("not sent, and nothing that could be it")

    def _refused_and_foreign(self, k: int, name: str, *, alone: bool) -> dict[str, str]:
        """Find what may be a missing notebook in a form that is not read."""
        suspects = {
            path: why
            for path, why in self.submission.refused.items()
            if is_notebook_name(path)
            or path.lower().endswith(_ARCHIVES)
            or not PurePosixPath(path).suffix  # a folder may have held it
        }
        suspects |= dict.fromkeys(self.unread, "more notebooks than are looked at")
        for path in self.submission.files:
            if is_clutter(path):
                if PurePosixPath(path).name == name.replace(".ipynb", "-checkpoint.ipynb"):
                    suspects[path] = "only Jupyter's checkpoint of it was sent"
            elif path.lower().endswith(_ARCHIVES):
                suspects.setdefault(path, "an archive; unpack it")
            elif path.lower().endswith(_OTHER_FORMS) and (alone or self._resembles(path, k)):
                suspects.setdefault(path, "not a notebook")
        return suspects

    def _inside_another(self, k: int, choices: list[Choice]) -> dict[str, str]:
        """Find a missing notebook's graded cells pasted into another notebook."""
        found = {}
        for other, choice in zip(self.templates, choices, strict=True):
            if choice.raw is None or other is self.templates[k]:
                continue
            ids = {cell.grade_id for cell in choice.raw.cells} - {None}
            if any(i in self.templates[k].by_grade_id and i not in other.by_grade_id for i in ids):
                found[choice.path] = "holds cells of it"
        return found
