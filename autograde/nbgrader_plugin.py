"""Makes plain nbgrader and Formgrader use this grader: ``configure`` in ``nbgrader_config.py``.

Only configurable traits of nbgrader are set: the exporters of ``autograde`` and ``generate_feedback``, the
plugin of ``export``, and a preprocessor that makes student output harmless in Formgrader's pages. They are
named, not imported: every command executes the configuration, and nbgrader takes a second to import.
"""

from typing import Any

from autograde.record import FILE_NAME

_PARTS = "autograde.nbgrader_parts"


def configure(c: Any) -> None:
    """Set what this grader needs in nbgrader's configuration `c`."""
    _append(c.CourseDirectory, "ignore", f"{FILE_NAME}*")
    c.Autograde.exporter_class = f"{_PARTS}.EngineExporter"
    c.GenerateFeedback.exporter_class = f"{_PARTS}.FeedbackExporter"
    c.GenerateFeedback.preprocessors = []
    _append(c.HTMLExporter, "preprocessors", f"{_PARTS}.HarmlessOutput")
    c.ExportApp.plugin_class = f"{_PARTS}.StatusExport"


def _append(section: Any, trait: str, value: Any) -> None:
    """Append to a list that the course may have set; else to nbgrader's own default."""
    known = section.get(trait)
    if isinstance(known, list):
        section[trait] = known if value in known else [*known, value]
    else:
        getattr(section, trait).append(value)
