"""Raw samples of one payload: what was run, in which order, and what came out. Nothing is judged here."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from tools.overlap.backends import Backend, Order
from tools.overlap.calibration import RUNS, Window, calibrate
from tools.overlap.estimates import median_ms
from tools.overlap.settings import MIB, Settings

Progress = Callable[[str], None]
TIMED: tuple[Order, ...] = ("serial", "overlap", "compute", "copy")
OVERHEAD_RUNS = 20


def measure_overhead(backend: Backend) -> list[float]:
    """Time runs without any operation, ms: what the gate and the clock cost."""
    return [backend.run("empty", 0) for _ in range(OVERHEAD_RUNS)]


def measure_payload(
    backend: Backend, settings: Settings, payload_mib: int, progress: Progress
) -> dict[str, Any]:
    """Measure every window of one payload.

    In each round each window is run once as a serial/overlap pair, the two next to each other and their
    order alternating from round to round, then compute alone and copy alone: drift of clocks and
    temperature meets all of them alike.

    Args:
        backend: What to measure.
        settings: How often.
        payload_mib: Size of the copy.
        progress: Called with one line now and then.

    Returns:
        ``{"cases": [...], "self_check": {...}, "pageable_control": {...}}``, raw.
    """
    backend.prepare(payload_mib * MIB)
    for _ in range(settings.warmup_steps):
        backend.run("copy", 0)
    copy_ms = median_ms([backend.run("copy", 0) for _ in range(RUNS)])
    windows = calibrate(backend, copy_ms, settings.window_ratios)
    progress(f"{payload_mib} MiB: copy alone {copy_ms:.2f} ms; {len(windows)} compute windows")
    for window in windows:
        for _ in range(settings.warmup_steps):
            for order in TIMED:
                backend.run(order, window.units)
    samples = [_empty_samples() for _ in windows]
    for number in range(settings.repeat_steps):
        for window, raw in zip(windows, samples, strict=True):
            _round(backend, window, raw, serial_first=number % 2 == 0)
    middle = min(windows, key=lambda window: abs((window.target_ratio or 99.0) - 1.0))
    self_check = _measure_self_check(backend, settings, middle)
    cases = [
        {"payload_mib": payload_mib, "window": asdict(window), "raw": raw, **_look(backend, window)}
        for window, raw in zip(windows, samples, strict=True)
    ]
    return {
        "cases": cases,
        "self_check": {"payload_mib": payload_mib, **self_check},
        "pageable_control": {"payload_mib": payload_mib, **backend.control(middle.units)},
    }


def _empty_samples() -> dict[str, list[Any]]:
    return {"first": [], **{f"{order}_ms": [] for order in TIMED}}


def _round(backend: Backend, window: Window, raw: dict[str, list[Any]], *, serial_first: bool) -> None:
    pair: tuple[Order, ...] = ("serial", "overlap") if serial_first else ("overlap", "serial")
    raw["first"].append(pair[0])
    for order in (*pair, "compute", "copy"):
        raw[f"{order}_ms"].append(backend.run(order, window.units))


def _measure_self_check(backend: Backend, settings: Settings, window: Window) -> dict[str, Any]:
    """Serial against serial, paired alike: a difference found here is an error of the method."""
    first, second = [], []
    for number in range(settings.repeat_steps):
        a, b = backend.run("serial", window.units), backend.run("serial", window.units)
        first.append(a if number % 2 == 0 else b)
        second.append(b if number % 2 == 0 else a)
    return {"units": window.units, "first_ms": first, "second_ms": second}


def _look(backend: Backend, window: Window) -> dict[str, Any]:
    checks = {order: asdict(backend.check(order, window.units)) for order in ("serial", "overlap")}
    observation = asdict(backend.observe(window.units))
    return {
        "checks": checks,
        "timeline": observation["timeline"],
        "evidence": observation["evidence"],
        "evidence_figures": observation["figures"],
    }
