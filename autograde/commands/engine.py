"""What the commands that run submissions have in common: options, exit status."""

import argparse
from collections.abc import Iterable

from autograde.errors import InfrastructureError
from autograde.machine import processors
from autograde.outcome import Status, SubmissionResult

ALL_GRADED, NEEDS_REVIEW = 0, 1


def add_engine_arguments(parser: argparse.ArgumentParser, sandbox: str | None = "bwrap") -> None:
    """Declare the options of every command that runs submissions; `sandbox` is the default."""
    parser.add_argument(
        "--jobs",
        type=_positive,
        default=processors(),
        metavar="N",
        help="submissions at a time (%(default)s)",
    )
    parser.add_argument(
        "--sandbox",
        choices=("bwrap", "none"),
        default=sandbox,
        help="none runs submissions without protection: only for code that you trust (default: bwrap)",
    )


def status_of(results: Iterable[SubmissionResult]) -> int:
    """Return the command's exit status for these outcomes."""
    statuses = {result.status for result in results}
    if Status.INFRASTRUCTURE_ERROR in statuses:
        return InfrastructureError.exit_status
    return NEEDS_REVIEW if Status.NEEDS_REVIEW in statuses else ALL_GRADED


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return number
