"""``grade``, as far as it goes without nbgrader: its options, and a class in which nothing changed."""

import argparse
from pathlib import Path

from autograde.commands.engine import add_engine_arguments, limits_of
from autograde.commands.naming import add_assignment
from autograde.streams import complain, say
from autograde.unchanged import Question, recall


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_assignment(parser)
    parser.add_argument("--student", action="append", metavar="ID", help="only this student (repeatable)")
    add_engine_arguments(parser)
    parser.add_argument("--force", action="store_true", help="run unchanged submissions again too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every outcome to this file")


def run(arguments: argparse.Namespace) -> int:
    """Say again what the last run said if nothing has changed; else grade; return the exit status."""
    question = asked(arguments)
    answer = None if question is None else recall(question)
    if answer is None:
        return _run_in_full(arguments, question)
    for line in answer.trouble:
        complain(line)
    for line in answer.said:
        say(line)
    return answer.status


def asked(arguments: argparse.Namespace) -> Question | None:
    """Return the question that an answer may be kept for; None if the options ask for more, or for a part."""
    if arguments.student or arguments.force or arguments.json is not None or arguments.db is not None:
        return None
    return Question(arguments.course, arguments.assignment, arguments.sandbox, limits_of(arguments))


def _run_in_full(arguments: argparse.Namespace, question: Question | None) -> int:
    from autograde.warming import warm_up

    warm = warm_up(arguments.course, arguments.assignment, arguments.sandbox, limits_of(arguments))
    try:
        from autograde.commands import grade  # takes a second

        return grade.run(arguments, question, warm)
    finally:
        if warm is not None:
            warm.close()
