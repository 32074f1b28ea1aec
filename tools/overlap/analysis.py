"""From raw samples to the figures of a result: pure, so that a file can be recomputed from itself."""

from typing import Any

import numpy as np

from tools.overlap import estimates
from tools.overlap.settings import MIB

ACCEPT_BELOW = 0.98


def derive_cases(raw_cases: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """Add the figures of every case: medians, P95, ratio with its interval, exposed time, correctness, path.

    Args:
        raw_cases: Cases as `measurement.measure_payload` returns them.
        seed: Of the bootstrap.

    Returns:
        New cases, in the same order; the raw samples stay in them.
    """
    ratios = [_resampled(case["raw"]["serial_ms"], case["raw"]["overlap_ms"], seed) for case in raw_cases]
    bounds = _corrected(ratios, len(raw_cases))
    return [_case(case, ratio, bound) for case, ratio, bound in zip(raw_cases, ratios, bounds, strict=True)]


def derive_self_check(raw: list[dict[str, Any]], seed: int, family: int) -> list[dict[str, Any]]:
    """Judge serial against serial exactly as serial against overlap; `accepted` must come out False.

    Args:
        raw: One entry for each payload.
        seed: Of the bootstrap.
        family: Number of cases of the experiment, whose correction is used.
    """
    ratios = [_resampled(entry["first_ms"], entry["second_ms"], seed) for entry in raw]
    bounds = _corrected(ratios, max(family, len(raw)))
    checked = []
    for entry, ratio, bound in zip(raw, ratios, bounds, strict=True):
        middle = estimates.median_ms(entry["second_ms"]) / estimates.median_ms(entry["first_ms"])
        checked.append(
            {
                **entry,
                "latency_ratio": middle,
                "latency_ratio_ci95": None if ratio is None else list(estimates.interval_95(ratio)),
                "latency_ratio_upper": bound,
                "accepted": None if bound is None else bound < ACCEPT_BELOW,
            }
        )
    return checked


def derive_link(cases: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Fit bandwidth and latency to the isolated copies of all payloads; None without a case."""
    if not cases:
        return None
    by_payload: dict[int, list[float]] = {}
    for case in cases:
        by_payload.setdefault(case["payload_mib"], []).extend(case["raw"]["copy_ms"])
    sizes = [mib * MIB for mib in by_payload]
    return estimates.fit_link(sizes, [estimates.median_ms(times) for times in by_payload.values()])


def path_of(evidence: dict[str, bool | None], timeline: dict[str, Any]) -> tuple[bool | None, str]:
    """Return `path_confirmed` and why: False if any check failed, None if any could not be made.

    Example:
        >>> path_of({"distinct_queues": True, "intervals_intersect": None}, {"reason": "no profiler"})
        (None, 'not observed: intervals_intersect (no profiler)')
    """
    failed = [name for name, value in evidence.items() if value is False]
    unknown = [name for name, value in evidence.items() if value is None]
    if failed:
        return False, f"failed: {', '.join(failed)}"
    if unknown or not evidence:
        reason = timeline["reason"] or "this clock is too coarse"
        return None, f"not observed: {', '.join(unknown) or 'anything'} ({reason})"
    return True, f"all hold: {', '.join(evidence)}"


def _resampled(serial_ms: list[float], overlap_ms: list[float], seed: int) -> np.ndarray | None:
    if len(serial_ms) < estimates.MIN_PAIRS:
        return None
    return estimates.bootstrap_ratios(serial_ms, overlap_ms, seed)


def _corrected(ratios: list[np.ndarray | None], family: int) -> list[float | None]:
    known = [ratio for ratio in ratios if ratio is not None]
    bounds = iter(estimates.holm_upper_bounds(known, ACCEPT_BELOW, family))
    return [None if ratio is None else next(bounds) for ratio in ratios]


def _case(case: dict[str, Any], ratio: np.ndarray | None, bound: float | None) -> dict[str, Any]:
    raw = case["raw"]
    middle = {
        name: estimates.median_ms(raw[f"{name}_ms"]) for name in ("serial", "overlap", "copy", "compute")
    }
    confirmed, path_reason = path_of(case["evidence"], case["timeline"])
    checks = case["checks"].values()
    return {
        "payload_mib": case["payload_mib"],
        "window": case["window"],
        "serial_median_ms": middle["serial"],
        "serial_p95_ms": estimates.percentile_95(raw["serial_ms"]),
        "overlap_median_ms": middle["overlap"],
        "overlap_p95_ms": estimates.percentile_95(raw["overlap_ms"]),
        "copy_median_ms": middle["copy"],
        "compute_median_ms": middle["compute"],
        "window_over_copy": middle["compute"] / middle["copy"],
        "latency_ratio": middle["overlap"] / middle["serial"],
        "latency_ratio_ci95": None if ratio is None else list(estimates.interval_95(ratio)),
        "latency_ratio_upper": bound,
        "interval_reason": "" if ratio is not None else f"fewer than {estimates.MIN_PAIRS} pairs",
        "achievable_ratio": estimates.achievable_ratio(middle["copy"], middle["compute"]),
        "efficiency": estimates.efficiency(**{f"{name}_ms": value for name, value in middle.items()}),
        "hidden_ms": middle["serial"] - middle["overlap"],
        "exposed_ms": middle["overlap"] - middle["compute"],
        "copy_correct": all(check["copy_correct"] for check in checks),
        "compute_correct": all(check["compute_correct"] for check in checks),
        "path_confirmed": confirmed,
        "path_reason": path_reason,
        "below_limit": None if bound is None else bound < ACCEPT_BELOW,
        **{name: case[name] for name in ("checks", "evidence", "evidence_figures", "timeline", "raw")},
    }
