"""``python -m autograde``: the command line."""

import argparse
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from autograde.commands import check, feedback, grade, report, resolve, roster
from autograde.errors import AutogradeError, InfrastructureError

COMMANDS = {
    "grade": grade,
    "check": check,
    "feedback": feedback,
    "report": report,
    "resolve": resolve,
    "roster": roster,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status.

    0: all graded; 1: something needs review; 2: usage; 3: our own failure.
    """
    arguments = _parser().parse_args(argv)
    try:
        return int(COMMANDS[arguments.command].run(arguments))
    except InfrastructureError as error:
        print(f"autograde: {error}", file=sys.stderr)
        return grade.OUR_FAILURE
    except AutogradeError as error:
        print(f"autograde: {error}", file=sys.stderr)
        return grade.USAGE
    except KeyboardInterrupt:
        print("autograde: stopped; what was graded is kept, run the command again to go on", file=sys.stderr)
        return 130
    except Exception:  # a bug of ours must not look like a student's zero
        traceback.print_exc()
        print("autograde: this is a failure of the grader, no grade was changed by it", file=sys.stderr)
        return grade.OUR_FAILURE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m autograde", description="Grade Jupyter notebooks of an nbgrader course."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        help_line = (module.__doc__ or "").split(": ", 1)[-1].splitlines()[0].rstrip(".")
        sub = commands.add_parser(name, help=help_line, description=help_line)
        sub.add_argument("--course", type=Path, default=Path(), metavar="DIR", help="the course folder")
        sub.add_argument("--db", metavar="URL", help="the gradebook (default: gradebook.db of the course)")
        module.add_arguments(sub)
    return parser


if __name__ == "__main__":
    sys.exit(main())
