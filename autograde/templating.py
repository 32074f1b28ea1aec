"""The pages' templates."""

from jinja2 import Environment, PackageLoader, StrictUndefined


def environment() -> Environment:
    """Return the templates' environment: everything is escaped, an unknown name is an error."""
    templates = Environment(
        loader=PackageLoader("autograde"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    templates.filters["points"] = lambda value: (
        "–" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")
    )
    return templates
