"""Makes plain nbgrader and Formgrader use this course's release editions and its grader."""

from autograde.nbgrader_plugin import configure
from tools.authoring.preprocessors import configure_release

c = get_config()  # noqa: F821 - given by nbgrader
configure_release(c)
configure(c)
c.CourseDirectory.release_directory = "release/zh"  # Formgrader's Generate writes the Chinese edition
