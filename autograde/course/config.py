"""The instructor's own configuration of a course: ``nbgrader_config.py``, which is trusted."""

from pathlib import Path
from typing import Any

from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograde.errors import CourseError

CONFIG_NAME = "nbgrader_config.py"


def load_config(course_dir: Path) -> Config:
    """Return the configuration of a course; empty if it has none.

    Raises:
        CourseError: If the file cannot be executed.
    """
    if not (course_dir / CONFIG_NAME).is_file():
        return Config()
    try:
        return PyFileConfigLoader(CONFIG_NAME, path=str(course_dir)).load_config()
    except (Exception, SystemExit) as error:
        raise CourseError(
            f"{course_dir / CONFIG_NAME} cannot be executed ({type(error).__name__}: {error}); "
            f"repair it, or try it with `nbgrader list`"
        ) from error


def course_directory(course_dir: Path, config: Config) -> Any:
    """Return nbgrader's ``CourseDirectory`` for a course: where each step's folders lie.

    Raises:
        CourseError: If there is no such folder.
    """
    from nbgrader.coursedir import CourseDirectory

    if not course_dir.is_dir():
        raise CourseError(f"there is no course folder {course_dir}; name one with --course DIR")
    return CourseDirectory(root=str(course_dir.resolve()), config=config)
