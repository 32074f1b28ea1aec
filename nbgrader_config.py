"""Plain nbgrader and Formgrader on this course use this grader."""

from autograde.nbgrader_plugin import configure

configure(get_config())  # noqa: F821
