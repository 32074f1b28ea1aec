"""How many compute units make a window of a given length, measured on the machine itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools.overlap.backends import Backend
from tools.overlap.estimates import median_ms

RUNS = 5


@dataclass(frozen=True)
class Window:
    """A compute window.

    Attributes:
        kind: ``"calibrated"`` against the copy, or ``"fixed"`` as in the seed.
        target_ratio: Wanted length as a multiple of the isolated copy; None for a fixed window.
        units: Compute units that make it.
        capped: Whether fewer units than wanted were taken, as the backend's queue holds no more.
    """

    kind: str
    target_ratio: float | None
    units: int
    capped: bool = False


def calibrate(backend: Backend, copy_ms: float, ratios: Sequence[float]) -> list[Window]:
    """Find the units for each ratio of the copy, and add the fixed window.

    Fits time = start-up + units x cost to two sizes, so that a start-up time is not taken for work.
    A number of units is measured once: a ratio that needs the same number as an earlier one is left out.

    Args:
        backend: What to measure; prepared.
        copy_ms: Duration of the isolated copy.
        ratios: Wanted window lengths as multiples of it.

    Returns:
        Windows in the order of the ratios, the fixed one last.
    """
    startup_ms, unit_ms = _fit(backend, copy_ms)
    windows: list[Window] = []
    for ratio in ratios:
        wanted = max(1, round((ratio * copy_ms - startup_ms) / unit_ms))
        units = min(wanted, backend.max_units)
        if all(window.units != units for window in windows):
            windows.append(Window("calibrated", float(ratio), units, capped=units < wanted))
    windows.append(Window("fixed", None, backend.fixed_units))
    return windows


def _fit(backend: Backend, copy_ms: float) -> tuple[float, float]:
    units = 1
    while units * 2 <= backend.max_units and _compute_ms(backend, units) < copy_ms / 2:
        units *= 2
    half = max(1, units // 2)
    long_ms, short_ms = _compute_ms(backend, units), _compute_ms(backend, half)
    if units > half and long_ms > short_ms:
        unit_ms = (long_ms - short_ms) / (units - half)
        startup_ms = max(0.0, long_ms - units * unit_ms)
        return startup_ms, unit_ms
    return 0.0, long_ms / units


def _compute_ms(backend: Backend, units: int) -> float:
    return median_ms([backend.run("compute", units) for _ in range(RUNS)])
