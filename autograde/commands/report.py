"""``report``: write the class report, a page and a CSV."""

import argparse

from autograde.assignment_notes import load_problems
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
    problems = load_problems(layout.autograded_root, assignment)
    page, table = write_report(layout.report(assignment.name), assignment, standings, problems)
    say(f"{assignment.name}: report {page}, scores {table}")
    return 0
