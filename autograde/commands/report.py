"""``report``: write the class report, a page and a CSV."""

import argparse

from autograde.layout import CourseLayout
from autograde.report import write_report
from autograde.standing import read_standings
from autograde.streams import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("assignment", help="folder under source/")


def run(arguments: argparse.Namespace) -> int:
    """Write the report, say where it lies; return the exit status."""
    layout = CourseLayout.of(arguments.course)
    assignment, standings = read_standings(layout, arguments.assignment, arguments.db)
    page, table = write_report(layout.report(assignment.name), assignment, standings)
    say(f"{assignment.name}: report {page}, scores {table}")
    return 0
