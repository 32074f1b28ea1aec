"""Where theory and measurement meet: the student's own functions on measured intervals.

Nothing here computes exposed time: without the student's functions there is no comparison.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tools.overlap.settings import MIB

ExposureFunction = Callable[..., Mapping[str, float]]


def from_intervals(
    report: dict[str, Any], compute_exposed_interval: ExposureFunction
) -> list[dict[str, Any]]:
    """Put each observed overlapped run through the student's function.

    Args:
        report: A result.
        compute_exposed_interval: The student's TODO 1.

    Returns:
        One row for each case with a timeline: payload, window, the interval's `total_ms`, `hidden_ms`,
        `exposed_ms` as the function says, and the measured exposed time (overlap - compute alone).
    """
    rows = []
    for case in report["cases"]:
        run = case["timeline"]["overlap"]
        if run is None:
            continue
        transfer = (run["copy"][0][0], run["copy"][-1][1])
        covers = [tuple(part) for part in run["compute"]]
        exposure = compute_exposed_interval(transfer, covers)
        rows.append(
            {
                "payload_mib": case["payload_mib"],
                "window_over_copy": case["window_over_copy"],
                **{key: float(exposure[key]) for key in ("total_ms", "hidden_ms", "exposed_ms")},
                "measured_exposed_ms": case["exposed_ms"],
            }
        )
    return rows


def from_link(report: dict[str, Any], estimate_handoff: ExposureFunction) -> list[dict[str, Any]]:
    """Predict each case's exposed time from the measured link and the isolated compute window.

    The prediction knows nothing of the overlapped runs: bandwidth and latency come from isolated copies,
    the window is the isolated compute time.

    Args:
        report: A result.
        estimate_handoff: The student's TODO 2.

    Returns:
        One row for each case: predicted and measured exposed time and their difference, all ms.
    """
    link = report["link"]
    if link is None:
        return []
    rows = []
    for case in report["cases"]:
        window = case["compute_median_ms"]
        estimate = estimate_handoff(
            case["payload_mib"] * MIB, link["bandwidth_gbps"], link["fixed_latency_ms"], 0.0, [(0.0, window)]
        )
        predicted = float(estimate["exposed_ms"])
        rows.append(
            {
                "payload_mib": case["payload_mib"],
                "window_over_copy": case["window_over_copy"],
                "predicted_exposed_ms": predicted,
                "measured_exposed_ms": case["exposed_ms"],
                "error_ms": case["exposed_ms"] - predicted,
            }
        )
    return rows
