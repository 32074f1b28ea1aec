"""The pictures of a result: measured timelines, and the latency ratio against payload and window.

Labels are English with units; colours and hatches are those of `tools.timeline`.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tools.overlap.intervals import Interval, intersection, union
from tools.timeline import draw_timeline

MARKERS = ("o", "s", "^", "D", "v", "P")
# Okabe-Ito without the colours that mean compute, transfer and exposed
PAYLOAD_COLOURS = ("#009E73", "#56B4E9", "#CC79A7", "#000000", "#F0E442")
_ACHIEVABLE: dict[str, Any] = {"color": "#404040", "linewidth": 1.5}
Bars = list[tuple[str, float, float]]


def typical_case(report: dict[str, Any], payload_mib: int) -> dict[str, Any]:
    """Return the payload's case whose window is nearest the copy's length.

    Raises:
        ValueError: If the payload was not measured.
    """
    cases = [case for case in report["cases"] if case["payload_mib"] == payload_mib]
    if not cases:
        raise ValueError(f"the result has no case of {payload_mib} MiB")
    return min(cases, key=lambda case: abs(np.log(case["window_over_copy"])))


def timeline_lanes(timeline: dict[str, Any]) -> dict[str, Bars]:
    """Return lanes for `draw_timeline`: the copy split into the part beside compute and the rest.

    Args:
        timeline: A case's `timeline`, with a source.
    """
    lanes: dict[str, Bars] = {}
    for order in ("serial", "overlap"):
        run = timeline[order]
        copies, computes = _pairs(run["copy"]), _pairs(run["compute"])
        hidden = intersection(copies, computes)
        exposed = _without(copies, hidden)
        bars = [("hidden", *part) for part in hidden] + [("exposed", *part) for part in exposed]
        lanes[f"{order}: copy"] = sorted(bars, key=lambda bar: bar[1])
        lanes[f"{order}: compute"] = [("compute", *part) for part in computes]
    return lanes


def draw_timelines(report: dict[str, Any]) -> Figure:
    """Draw the typical case of each payload, serial above overlapped, from measured intervals.

    A case that could not be observed says so instead of a timeline.

    Raises:
        ValueError: If the report has no cases.
    """
    payloads = _payloads(report)
    figure, grid = plt.subplots(
        len(payloads), 1, figsize=(8, 2.9 * len(payloads)), squeeze=False, layout="constrained"
    )
    for axes, payload_mib in zip(grid[:, 0], payloads, strict=True):
        case = typical_case(report, payload_mib)
        title = (
            f"{payload_mib} MiB, window {case['window_over_copy']:.2f} x copy: "
            f"ratio {case['latency_ratio']:.3f}, achievable {case['achievable_ratio']:.3f}"
        )
        if case["timeline"]["source"] is None:
            _say(axes, f"{title}\nnot observed: {case['timeline']['reason']}")
        else:
            draw_timeline(timeline_lanes(case["timeline"]), f"{title} ({case['timeline']['source']})", axes)
    plt.close(figure)
    return figure


def draw_ratios(report: dict[str, Any]) -> Figure:
    """Draw the latency ratio against payload and window, with intervals and what is achievable.

    Raises:
        ValueError: If the report has no cases.
    """
    payloads = _payloads(report)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), sharey=True, layout="constrained")
    for index, payload_mib in enumerate(payloads):
        style = {
            "color": PAYLOAD_COLOURS[index % len(PAYLOAD_COLOURS)],
            "marker": MARKERS[index % len(MARKERS)],
        }
        cases = [case for case in report["cases"] if case["payload_mib"] == payload_mib]
        cases.sort(key=lambda case: case["window_over_copy"])
        typical = typical_case(report, payload_mib)
        _points(left, [payload_mib], [typical], style)
        left.plot(payload_mib, typical["achievable_ratio"], "_", **_ACHIEVABLE, markersize=22)
        _points(right, [case["window_over_copy"] for case in cases], cases, style, f"{payload_mib} MiB")
    spread = [case["window_over_copy"] for case in report["cases"]]
    window = np.geomspace(min(0.2, *spread), max(5.0, *spread), 200)
    right.plot(window, np.maximum(1, window) / (1 + window), **_ACHIEVABLE, label="achievable")
    limit = report["statistics"]["accept_below"]
    for axes in (left, right):
        axes.axhline(1.0, color="#808080", linewidth=0.8)
        axes.axhline(limit, color="#808080", linewidth=0.8, linestyle=":")
        axes.spines[["top", "right"]].set_visible(False)
    left.set_xscale("log", base=2)
    left.set_xticks(payloads, labels=[str(size) for size in payloads])
    left.set_xticks([], minor=True)
    left.set(
        xlabel="payload (MiB), window nearest 1 x copy", ylabel="overlap / serial (median, 95% interval)"
    )
    left.set_ylim(bottom=0)
    left.text(0.36, limit, f"limit {limit:g}", transform=left.get_yaxis_transform(), va="top", fontsize=8)
    right.set_xscale("log", base=2)
    ticks = [0.125, 0.25, 0.5, 1, 2, 4, 8]
    right.set_xticks(ticks, labels=["1/8", "1/4", "1/2", "1", "2", "4", "8"])
    right.set_xlim(window[0] / 1.2, window[-1] * 1.2)
    right.set_xlabel("compute window / copy")
    right.legend(frameon=False, fontsize=8)
    plt.close(figure)
    return figure


def save_pictures(report: dict[str, Any], result_path: Path) -> dict[str, Path]:
    """Write the pictures as PNG beside the result; nothing for a result without cases.

    Returns:
        ``{"timelines": path, "ratios": path}``, or an empty dict.
    """
    if not report["cases"]:
        return {}
    written = {}
    for name, draw in (("timelines", draw_timelines), ("ratios", draw_ratios)):
        path = result_path.with_suffix(f".{name}.png")
        partial = path.with_suffix(".partial")
        draw(report).savefig(partial, format="png", dpi=110, metadata={"Software": None})
        partial.replace(path)
        written[name] = path
    return written


def _points(
    axes: Axes,
    where: list[float],
    cases: list[dict[str, Any]],
    style: dict[str, Any],
    label: str | None = None,
) -> None:
    ratios = [case["latency_ratio"] for case in cases]
    bars = None
    if all(case["latency_ratio_ci95"] for case in cases):
        lows = [max(0.0, case["latency_ratio"] - case["latency_ratio_ci95"][0]) for case in cases]
        highs = [max(0.0, case["latency_ratio_ci95"][1] - case["latency_ratio"]) for case in cases]
        bars = [lows, highs]
    axes.errorbar(
        where, ratios, yerr=bars, linestyle="none", capsize=3, label=label, markerfacecolor="white", **style
    )


def _payloads(report: dict[str, Any]) -> list[int]:
    payloads = sorted({case["payload_mib"] for case in report["cases"]})
    if not payloads:
        raise ValueError("nothing to draw: the result has no measured case")
    return payloads


def _pairs(intervals: list[list[float]]) -> list[Interval]:
    return union([(start, end) for start, end in intervals])


def _without(copies: list[Interval], hidden: list[Interval]) -> list[Interval]:
    edges = sorted({edge for part in (*copies, *hidden) for edge in part})
    return [
        (a, b)
        for a, b in pairwise(edges)
        if intersection([(a, b)], copies) and not intersection([(a, b)], hidden)
    ]


def _say(axes: Axes, text: str) -> None:
    axes.text(0.5, 0.5, text, ha="center", va="center", wrap=True, transform=axes.transAxes, fontsize=9)
    axes.set_axis_off()
