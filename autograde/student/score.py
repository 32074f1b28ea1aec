"""The last value of a cell: a test's may be the points that it gives."""

import sys
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from autograde.plain_data import loaded

_MOST_TEXT = 200


@dataclass(frozen=True, slots=True)
class Value:
    """A cell's last value.

    Attributes:
        text: Its ``text/plain``; what the cell printed before does not shorten it.
        number: The value as a number; None if it is none.
    """

    text: str
    number: float | None

    @classmethod
    def of(cls, value: object, text: str) -> "Value":
        """Describe a value that is shown as `text`."""
        return cls(text[:_MOST_TEXT], number_of(value))


def number_of(value: Any) -> float | None:
    """Return a number, numpy's and torch's of one element included, as a float; None for anything else.

    A bool is no number of points: nbgrader does not take it for one either.

    Example:
        >>> number_of(1.5), number_of(True), number_of([1.5])
        (1.5, None, None)
    """
    kind = type(value)
    numpy, torch = sys.modules.get("numpy"), loaded("torch")
    try:
        if kind in (int, float, Fraction, Decimal):
            return float(value)
        if numpy is not None and (isinstance(value, numpy.generic) or kind is numpy.ndarray):
            return float(value.item()) if value.size == 1 and value.dtype.kind in "iuf" else None
        if torch is not None and kind is torch.Tensor:
            real = not (value.dtype.is_complex or value.dtype == torch.bool)
            return float(value.item()) if value.numel() == 1 and real else None
    except (ValueError, OverflowError, RuntimeError):
        return float("nan")
    return None
