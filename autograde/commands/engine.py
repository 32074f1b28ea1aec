"""What the commands that run submissions have in common: options, exit status."""

import argparse
import math
from collections.abc import Iterable
from dataclasses import fields, replace

from autograde.errors import InfrastructureError
from autograde.limits import DEFAULT, Limits
from autograde.outcome import Status, SubmissionResult
from autograde.processors import processors

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
    parser.add_argument(
        "--limit",
        action="append",
        type=_limit,
        default=[],
        metavar="NAME=VALUE",
        help="another limit of one submission, e.g. memory_mib=4096 (repeatable; the README lists them)",
    )


def limits_of(arguments: argparse.Namespace) -> Limits:
    """Return the limits that the options ask for."""
    return replace(DEFAULT, **dict(arguments.limit))


def _limit(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    kinds = {item.name: type(getattr(DEFAULT, item.name)) for item in fields(Limits)}
    if name not in kinds:
        raise argparse.ArgumentTypeError(f"{text!r}: there is no such limit; there are {', '.join(kinds)}")
    try:
        number: float = kinds[name](value)
    except ValueError:
        number = 0
    if not 0 < number < math.inf:
        kind = "whole number" if kinds[name] is int else "number"
        raise argparse.ArgumentTypeError(f"{text!r}: {name} is a {kind} above 0")
    return name, number


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
