"""``python -m autograde``: the command line."""

import argparse
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from autograde import lean_nbgrader, streams
from autograde.environment import DATABASE_VARIABLE, take_database
from autograde.errors import AutogradeError, InfrastructureError, UsageError

# Only the module of the command that runs is imported: some take seconds.
COMMANDS = {
    "grade": ("autograde.commands.grade_entry", "grade an assignment's submissions"),
    "check": ("autograde.commands.check", "check your own notebook against the visible tests"),
    "feedback": ("autograde.commands.feedback", "write each student's feedback pages"),
    "report": ("autograde.commands.report", "write the class report, a page and a CSV"),
    "resolve": ("autograde.commands.resolve", "settle by hand what could not be judged"),
    "roster": ("autograde.commands.roster", "put a class list into the gradebook"),
    "demo": ("tools.demo", "grade a sample class, to see what all this does"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status.

    0: all graded; 1: something needs review; 2: usage; 3: our own failure.
    """
    streams.prepare()
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    finally:
        streams.finish()


def _run(words: Sequence[str]) -> int:
    try:
        arguments = _parse(parser(words[0] if words else ""), words)
        return int(_module(arguments.command).run(arguments))
    except AutogradeError as error:
        if not (isinstance(error, streams.OutputError) and error.is_quiet):
            streams.complain(f"autograde: {error}")
        return error.exit_status
    except KeyboardInterrupt:
        streams.complain("autograde: stopped; what was graded is kept, run the command again to go on")
        return 130
    except OSError as error:
        if error.filename is None:
            return _our_failure()
        streams.complain(
            f"autograde: {error.filename}: {error.strerror}; "
            "check its permissions and the free space, then run this command again"
        )
        return InfrastructureError.exit_status
    except Exception:
        return _our_failure()


def _parse(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; help that nobody reads to its end is no failure."""
    try:
        return parser.parse_args(words)
    except OSError as error:
        raise streams.OutputError(error) from error


def _our_failure() -> int:
    """Report a bug of ours, which must not look like a student's zero; return the exit status."""
    streams.complain(traceback.format_exc().rstrip())
    streams.complain("autograde: this is a failure of the grader, not of a student")
    return InfrastructureError.exit_status


def parser(chosen: str) -> argparse.ArgumentParser:
    """Return the parser, with the options of the `chosen` command."""
    top = argparse.ArgumentParser(
        prog="python -m autograde", description="Grade Jupyter notebooks of an nbgrader course."
    )
    database = take_database()
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, help_line) in COMMANDS.items():
        sub = commands.add_parser(name, help=help_line, description=f"{help_line[0].upper()}{help_line[1:]}.")
        sub.add_argument("--course", type=Path, default=Path(), metavar="DIR", help="the course folder")
        sub.add_argument(
            "--db",
            metavar="URL",
            default=database,
            help=f"the gradebook (default: ${DATABASE_VARIABLE}, else gradebook.db of the course)",
        )
        if name == chosen:
            _module(name).add_arguments(sub)
    return top


def _module(command: str) -> ModuleType:
    name = COMMANDS[command][0]
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        raise UsageError(
            f"{command} belongs to the course that this grader comes from: run it in a checkout of it"
        ) from error


if __name__ == "__main__":
    # jsonschema imports this, if it can, for a format that no notebook has; the import takes a second.
    modules: dict[str, Any] = sys.modules
    modules.setdefault("rfc3987_syntax", None)
    lean_nbgrader.install()
    sys.exit(main())
