"""What :mod:`autograde.nbgrader_plugin` puts into nbgrader: exporters, an export plugin, a preprocessor."""

import csv
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter, NotebookExporter
from nbgrader.api import Gradebook as NbgraderBook
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.plugins import ExportPlugin
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Enum, Integer, List

from autograde.atomic import write_atomic
from autograde.autograded import METADATA_KEY
from autograde.course import Assignment
from autograde.environment import DATABASE_VARIABLE
from autograde.feedback import build_page, read_notebooks, render
from autograde.gradebook import Gradebook
from autograde.layout import CourseLayout
from autograde.sanitize import clean_output, escape_markup
from autograde.spreadsheet import plain_cell
from autograde.standing import Absence, Standing, class_standings, read_standings


class EngineExporter(NotebookExporter):
    """Grades when ``nbgrader autograde`` has found its submissions and touched none of them.

    nbgrader makes its exporter at exactly that moment. The submissions are graded by this package's
    command, in a process of its own; nbgrader's own loop is then left with nothing to do.
    """

    jobs = Integer(0, help="Submissions at a time; 0: one for each processor.").tag(config=True)
    sandbox = Enum(("bwrap", "none"), "bwrap", help="As --sandbox of `python -m autograde grade`.").tag(
        config=True
    )

    def __init__(self, **kwargs: Any) -> None:
        """Take over if an autograding converter makes this exporter."""
        super().__init__(**kwargs)  # type: ignore[no-untyped-call]
        if isinstance(self.parent, Autograde):
            self._grade(self.parent)
            self.parent.assignments = {}

    def _grade(self, converter: Any) -> None:
        coursedir = converter.coursedir
        students = _students(converter)
        if not converter.create_student:
            _refuse_unknown(coursedir, students)
        command = [sys.executable, "-m", "autograde", "grade", coursedir.assignment_id]
        command += ["--course", coursedir.root, "--sandbox", self.sandbox]
        command += [f"--student={student}" for student in students]
        command += ["--jobs", str(self.jobs)] if self.jobs else []
        command += ["--force"] if converter.force else []
        # By environment: everybody on this machine can read the arguments of a command.
        variables = {**os.environ, DATABASE_VARIABLE: coursedir.db_url, "PYTHONUTF8": "1"}
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            env=variables,
        ) as process:
            for line in process.stdout or ():
                converter.log.info(line.rstrip())
        if process.returncode not in (0, 1):
            message = f"the grader ended with status {process.returncode}: see the lines above"
            converter.log.error(message)
            raise NbGraderException(message)
        if process.returncode == 1:
            converter.log.warning("Some submissions need a person's decision: see the lines above")


class FeedbackExporter(HTMLExporter):
    """Writes the same page as ``python -m autograde feedback``, for one notebook of one student."""

    def __init__(self, **kwargs: Any) -> None:
        """Remember nothing yet."""
        super().__init__(**kwargs)  # type: ignore[no-untyped-call]
        self._known: dict[str, tuple[Assignment, dict[str, Standing]]] = {}

    def from_filename(  # type: ignore[override]  # as HTMLExporter, whose "notebook" is a text too
        self, filename: str, resources: dict[str, Any] | None = None, **kwargs: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the page and its resources; only the notebook's place is used, never its text as HTML."""
        resources = dict(resources or {})
        about = resources["nbgrader"]
        assignment, standings = self._class(about["assignment"], about["db_url"])
        books = read_notebooks(Path(filename).parent, [about["notebook"]])
        page = build_page(assignment, standings[about["student"]], books, about["notebook"])
        return render(page), {**resources, "output_extension": self.file_extension}

    def _class(self, name: str, db_url: str) -> tuple[Assignment, dict[str, Standing]]:
        if name not in self._known:
            converter: Any = self.parent
            layout = _layout(converter)
            self._known[name] = _read_class(layout, name, db_url)
        return self._known[name]


class HarmlessOutput(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader ships no types
    """Takes out of an autograded notebook what a browser could run, before Formgrader shows it."""

    display_data_priority: List[Any] = List(help="Set by the exporter for all its preprocessors.").tag(
        config=True
    )

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Clean every cell that isn't the instructor's own text."""
        nb.metadata.pop("widgets", None)
        cleaned: tuple[Any, Any] = super().preprocess(nb, resources)
        return cleaned

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Clean one cell."""
        if cell.cell_type == "code":
            cleaned = (clean_output(output) for output in cell.outputs)
            cell.outputs = [type(cell)(output) for output in cleaned if output is not None]
        elif not cell.metadata.get(METADATA_KEY, {}).get("trusted", False):
            cell.source = escape_markup(cell.source)
            cell.pop("attachments", None)
        return cell, resources


class StatusExport(ExportPlugin):  # type: ignore[misc]  # nbgrader ships no types
    """The CSV of nbgrader with a status: an outcome that is not a score has an empty score."""

    COLUMNS = (
        "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
        "late_submission_penalty", "score", "max_score", "status",
    )  # fmt: skip

    def export(self, gradebook: NbgraderBook) -> None:
        """Write the CSV of the assignments and students asked for."""
        path = Path(self.to or "grades.csv")
        self.log.info("Exporting grades to %s", path)
        text = io.StringIO()
        writer = csv.DictWriter(text, self.COLUMNS)
        writer.writeheader()
        for assignment in gradebook.assignments:
            if not self.assignment or assignment.name in map(str, self.assignment):
                for row in self._rows(assignment):
                    writer.writerow({name: plain_cell(value) for name, value in row.items()})
        write_atomic(path, text.getvalue().encode("utf-8", "replace"))

    def _rows(self, assignment: Any) -> list[dict[str, Any]]:
        layout = _layout(self.parent)
        max_score = assignment.max_score
        with Gradebook(layout.db_url, layout.course_id) as book:
            standings = class_standings(layout, assignment, book)
        wanted = set(map(str, self.student))
        return [
            _export_row(assignment, max_score, standing)
            for standing in standings
            if not wanted or standing.student.id in wanted
        ]


def _layout(application: Any) -> CourseLayout:
    """Return the layout that one of nbgrader's applications or converters works with."""
    return CourseLayout(Path(application.coursedir.root), application.config, application.coursedir)


def _export_row(assignment: Any, max_score: float, standing: Standing) -> dict[str, Any]:
    missing = standing.status is Absence.MISSING  # nbgrader's own zero: nothing was handed in
    scores = standing.scores
    score = 0.0 if missing else standing.score
    raw = 0.0 if missing else None if score is None or scores is None else scores.raw_score
    return {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "timestamp": None if scores is None else scores.timestamp,
        "student_id": standing.student.id,
        "last_name": standing.student.last_name,
        "first_name": standing.student.first_name,
        "email": standing.student.email,
        "raw_score": raw,
        "late_submission_penalty": 0.0 if scores is None else scores.late_penalty,
        "score": score,
        "max_score": max_score,
        "status": standing.status.value,
    }


def _read_class(layout: CourseLayout, name: str, db_url: str) -> tuple[Assignment, dict[str, Standing]]:
    assignment, standings = read_standings(layout, name, db_url)
    return assignment, {standing.student.id: standing for standing in standings}


def _students(converter: Any) -> list[str]:
    """Return the students whose submissions nbgrader found, but for those it was told to leave out."""
    pattern = converter._format_source("(?P<assignment_id>.*)", "(?P<student_id>.*)", escape=True)
    found = [
        match["student_id"] for path in converter.assignments if (match := re.match(pattern, path, re.DOTALL))
    ]
    excluded = converter.coursedir.student_id_exclude.split(",")
    return sorted(student for student in found if student not in excluded)


def _refuse_unknown(coursedir: Any, students: list[str]) -> None:
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        unknown = sorted(set(students) - {student.id for student in gradebook.students()})
    if unknown:
        raise NbGraderException(f"No student with ID {', '.join(unknown)} exists in the database")
