"""The pictures of a class report, as SVG text; labels in English, so that no font lacks a glyph."""

import io
from collections.abc import Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy import geomspace

from autograde.outcome import TestOutcome
from autograde.statistics import TestCount
from autograde.wording import exercise_title, test_title

_WIDE = 20  # largest by smallest, above which a histogram's axis is logarithmic
WIDTH = 5.4  # inches: readable on a phone without zooming

# Okabe-Ito colours; the hatch says the same without colour.
_OUTCOMES = (
    ("passed", (TestOutcome.PASSED,), "#009E73", ""),
    ("partly", (TestOutcome.PARTIAL,), "#E69F00", "//"),
    ("failed", (TestOutcome.FAILED,), "#D55E00", "xx"),
    ("error", (TestOutcome.ERROR,), "#CC79A7", ".."),
    ("too slow", (TestOutcome.TIMED_OUT, TestOutcome.NOT_REACHED), "#0072B2", "--"),
    ("undecided", (TestOutcome.NEEDS_REVIEW, TestOutcome.MANUAL), "#999999", ""),
)


def score_histogram(scores: Sequence[float], max_score: float) -> str:
    """Return how many students reached which score, in tenths of `max_score` points."""
    figure = Figure(figsize=(WIDTH, 2.6), layout="constrained")
    axes = figure.subplots()
    width = max_score / 10 if max_score else 1.0
    axes.hist(scores, bins=[width * step for step in range(11)], color="#0072B2", edgecolor="white")
    axes.set(xlabel="score (points)", ylabel="students", xlim=(0, width * 10))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return _svg(figure)


def test_bars(counts: Sequence[TestCount]) -> str:
    """Return one bar for each test: how many submissions had which outcome."""
    figure = Figure(figsize=(WIDTH, 1 + 0.3 * len(counts)), layout="constrained")
    axes = figure.subplots()
    places = range(len(counts))
    left = [0] * len(counts)
    for label, outcomes, colour, hatch in _OUTCOMES:
        widths = [sum(count.counts.get(outcome, 0) for outcome in outcomes) for count in counts]
        if any(widths):
            axes.barh(places, widths, left=left, color=colour, hatch=hatch, edgecolor="white", label=label)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.set_yticks(places, [_label(count) for count in counts])
    axes.invert_yaxis()
    axes.set(xlabel="submissions")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(y=0.01)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return _svg(figure)


def time_and_memory(seconds: Sequence[float], memory_mib: Sequence[float]) -> str:
    """Return two histograms: wall time and peak memory of a submission."""
    figure = Figure(figsize=(WIDTH, 2.4), layout="constrained")
    time_axes, memory_axes = figure.subplots(1, 2)
    style: dict[str, Any] = {"color": "#56B4E9", "edgecolor": "white"}
    for axes, values, label in (
        (time_axes, seconds, "wall time (s)"),
        (memory_axes, memory_mib, "peak memory (MiB)"),
    ):
        if values and min(values) > 0 and max(values) > _WIDE * min(values):
            axes.hist(values, bins=list(geomspace(min(values), max(values), 21)), **style)
            axes.set_xscale("log")  # one that was stopped by a limit would squash all others into one bar
            axes.xaxis.set_major_formatter("{x:g}")
        elif values:
            axes.hist(values, bins=20, **style)
        else:
            axes.text(0.5, 0.5, "not measured", ha="center", transform=axes.transAxes)
        axes.set(xlabel=label, ylabel="submissions")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return _svg(figure)


def _label(count: TestCount) -> str:
    exercise = exercise_title(count.exercise).split(" · ")[0]
    return f"{exercise} · {test_title(count.grade_id, count.exercise)}"


def _svg(figure: Figure) -> str:
    """Return a figure without what differs from run to run."""
    FigureCanvasSVG(figure)
    text = io.StringIO()
    with rc_context({"svg.hashsalt": "autograde", "svg.fonttype": "path"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()[text.getvalue().index("<svg") :]
