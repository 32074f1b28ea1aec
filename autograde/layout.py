"""Where a course keeps its folders and its gradebook, as ``nbgrader_config.py`` says."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from traitlets.config import Config

from autograde.course.config import course_directory, load_config


@dataclass(frozen=True, slots=True)
class CourseLayout:
    """A course's folders.

    Attributes:
        root: The course folder.
        config: What ``nbgrader_config.py`` sets.
        directories: nbgrader's ``CourseDirectory``.
    """

    root: Path
    config: Config
    directories: Any

    @classmethod
    def of(cls, root: Path) -> "CourseLayout":
        """Read the layout of the course at `root`.

        Raises:
            CourseError: There is no such folder, or its configuration cannot be executed.
        """
        config = load_config(root)
        return cls(root.resolve(), config, course_directory(root, config))

    @property
    def db_url(self) -> str:
        """SQLAlchemy's URL of the gradebook."""
        return str(self.directories.db_url)

    @property
    def course_id(self) -> str:
        """The id of the course; "" if the course has none, as in nbgrader's own commands."""
        return str(self.directories.course_id)

    @property
    def source_root(self) -> Path:
        """The folder above all assignments as the instructor wrote them."""
        return self.root / str(self.directories.source_directory)

    @property
    def autograded_root(self) -> Path:
        """The folder above all autograded submissions."""
        return self.root / str(self.directories.autograded_directory)

    @property
    def feedback_root(self) -> Path:
        """The folder above all feedback pages."""
        return self.root / str(self.directories.feedback_directory)

    def autograded(self, student_id: str, assignment: str) -> Path:
        """Return the folder of one autograded submission."""
        return self._folder(self.directories.autograded_directory, student_id, assignment)

    def feedback(self, student_id: str, assignment: str) -> Path:
        """Return the folder of one student's feedback pages."""
        return self._folder(self.directories.feedback_directory, student_id, assignment)

    def report(self, assignment: str) -> Path:
        """Return the folder of the class report."""
        return self.root / "report" / assignment

    def late_policy(self) -> Callable[[str, float, float], float | None] | None:
        """Return the late penalty that the configuration asks for; None if it asks for none."""
        if not {"LateSubmissionPlugin", "AssignLatePenalties"} & self.config.keys():
            return None
        from nbgrader.preprocessors import AssignLatePenalties

        assigner = AssignLatePenalties(config=self.config)
        assigner.init_plugin()
        policy: Callable[[str, float, float], float | None] = assigner.plugin_inst.late_submission_penalty
        return policy

    def _folder(self, step: str, student_id: str, assignment: str) -> Path:
        return Path(self.directories.format_path(step, student_id, assignment))
