"""Pictures of time: what ran where, and which part of a transfer the student's function calls hidden.

Colours are Okabe-Ito's and keep one meaning everywhere; hatching repeats what the colour says, so that
the pictures can be read in grey. All times are in milliseconds.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

Interval = tuple[float, float]
ExposureFunction = Callable[[Interval, Sequence[Interval]], Mapping[str, float]]

# kind -> (face colour, hatch, text of the legend)
STYLES: dict[str, tuple[str, str, str]] = {
    "compute": ("#0072B2", "", "compute"),
    "transfer": ("#E69F00", "", "transfer"),
    "latency": ("#F5D08A", "--", "transfer, fixed latency"),
    "hidden": ("#E69F00", "..", "transfer, hidden"),
    "exposed": ("#D55E00", "//", "transfer, exposed"),
    "idle": ("#F0F0F0", "xx", "idle"),
    "wrong": ("#CC79A7", "xx", "wrong read"),
    "unclear": ("#CC79A7", "++", "the answer contradicts itself here"),
}
_EDGE = "#404040"
_LABEL_BOX = {"facecolor": "white", "alpha": 0.85, "pad": 1, "linewidth": 0}
_TOLERANCE = 1e-9


def _edge(kind: str) -> str:
    return "#B0B0B0" if kind == "idle" else _EDGE


def _bar(axes: Axes, kind: str, start: float, end: float, row: float, text: str = "") -> None:
    face, hatch, _ = STYLES[kind]
    axes.barh(
        row,
        end - start,
        left=start,
        height=0.62,
        color=face,
        hatch=hatch,
        edgecolor=_edge(kind),
        linewidth=0.7,
    )
    if text:
        colour = "white" if kind == "compute" else "black"
        box = None if kind == "compute" else _LABEL_BOX
        axes.text((start + end) / 2, row, text, ha="center", va="center", fontsize=9, color=colour, bbox=box)


def _finish(axes: Axes, kinds: Iterable[str]) -> Figure:
    """Add the legend below the axes and take the figure out of pyplot's hands."""
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("these axes belong to no figure")
    shown = {text.get_text() for legend in figure.legends for text in legend.get_texts()}
    for legend in list(figure.legends):  # several axes, one legend
        legend.remove()
    handles = [
        Patch(facecolor=face, hatch=hatch, edgecolor=_edge(kind), label=label)
        for kind, (face, hatch, label) in STYLES.items()
        if kind in set(kinds) or label in shown
    ]
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    plt.close(figure)
    return figure


def draw_timeline(
    lanes: Mapping[str, Sequence[tuple[str, float, float]]], title: str = "", axes: Axes | None = None
) -> Figure:
    """Draw one lane for each engine or stream.

    Args:
        lanes: Name of the lane -> bars ``(kind, start_ms, end_ms)``, or ``(kind, start_ms, end_ms, text)``;
            ``kind`` is a key of `STYLES`. The first lane is drawn on top.
        title: Text above the picture.
        axes: Where to draw; a new figure if None.

    Returns:
        The figure, closed for pyplot: the notebook shows it once, as the cell's value.

    Raises:
        ValueError: If there is no lane, or a bar has an unknown kind or ends before it starts.

    Example:
        >>> draw_timeline({"copy engine": [("transfer", 0.0, 4.0)], "SMs": [("compute", 1.0, 3.0)]})
        <Figure size 800x220 with 1 Axes>
    """
    if not lanes:
        raise ValueError("draw_timeline needs at least one lane")
    if axes is None:
        _, axes = plt.subplots(figsize=(8, 1.3 + 0.45 * len(lanes)), layout="constrained")
    kinds: list[str] = []
    for row, bars in enumerate(lanes.values()):
        for kind, start, end, *text in bars:
            if kind not in STYLES:
                raise ValueError(f"unknown kind {kind!r}: use one of {', '.join(STYLES)}")
            if end < start:
                raise ValueError(f"bar ({kind}, {start}, {end}) ends before it starts")
            _bar(axes, kind, start, end, row, *text)
            kinds.append(kind)
    axes.set_yticks(range(len(lanes)), labels=list(lanes))
    axes.set_ylim(len(lanes) - 0.5, -0.5)
    axes.set_xlabel("time (ms)")
    axes.set_title(title, fontsize=10, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    return _finish(axes, kinds)


def exposure_slices(
    compute_exposed_interval: ExposureFunction, transfer: Interval, covers: Sequence[Interval]
) -> list[tuple[str, float, float]]:
    """Ask the student's function about each elementary slice of the transfer.

    No window begins or ends inside a slice, so a slice is wholly hidden or wholly exposed; an answer
    that says anything else contradicts itself there, and the slice is marked ``unclear``.

    Args:
        compute_exposed_interval: The function to ask.
        transfer: ``(start_ms, end_ms)``.
        covers: Windows of independent work, ``(start_ms, end_ms)`` each.

    Returns:
        Bars ``(kind, start_ms, end_ms)`` in order of time.
    """
    __tracebackhide__ = True  # a student's traceback shows their own code
    start, end = transfer
    cuts = {start, end, *(min(max(edge, start), end) for window in covers for edge in window)}
    edges = sorted(cuts)
    slices = []
    for left, right in itertools.pairwise(edges):
        exposed = compute_exposed_interval((left, right), list(covers))["exposed_ms"]
        if abs(exposed) <= _TOLERANCE:
            kind = "hidden"
        elif abs(exposed - (right - left)) <= _TOLERANCE:
            kind = "exposed"
        else:
            kind = "unclear"
        slices.append((kind, left, right))
    return slices


def draw_exposure(
    compute_exposed_interval: ExposureFunction,
    transfer: Interval,
    covers: Sequence[Interval],
    title: str = "",
) -> Figure:
    """Draw what the student's function says about one transfer.

    Args:
        compute_exposed_interval: The student's function.
        transfer: ``(start_ms, end_ms)``.
        covers: Windows of independent work, ``(start_ms, end_ms)`` each; one lane each.
        title: Text above the picture; the function's own totals are appended.

    Returns:
        The figure. Its title ends with a warning if the slices and the totals disagree.
    """
    __tracebackhide__ = True  # a student's traceback shows their own code
    report = compute_exposed_interval(transfer, list(covers))
    slices = exposure_slices(compute_exposed_interval, transfer, covers)
    lanes: dict[str, list[tuple[str, float, float]]] = {
        f"window {number}": [("compute", *window)] for number, window in enumerate(covers, start=1)
    }
    lanes["transfer"] = slices
    totals = (
        f"total {report['total_ms']:g} ms = hidden {report['hidden_ms']:g} + exposed {report['exposed_ms']:g}"
    )
    painted = sum(end - start for kind, start, end in slices if kind == "exposed")
    unclear = any(kind == "unclear" for kind, _, _ in slices)
    if unclear or abs(painted - report["exposed_ms"]) > _TOLERANCE:
        totals += f"   [!] the slices add up to {painted:g} exposed"
    return draw_timeline(lanes, f"{title}\n{totals}" if title else totals)


def draw_handoffs(reports: Mapping[str, Mapping[str, float]], window_ms: float, title: str = "") -> Figure:
    """Draw one bar for each handoff, split into its hidden and its exposed part.

    Args:
        reports: Label -> what `estimate_handoff` returned.
        window_ms: Length of the compute window that starts with the transfer; drawn as a line.
        title: Text above the picture.

    Returns:
        The figure.

    Raises:
        ValueError: If there is nothing to draw.
    """
    if not reports:
        raise ValueError("draw_handoffs needs at least one handoff")
    _, axes = plt.subplots(figsize=(8, 1.3 + 0.36 * len(reports)), layout="constrained")
    for row, report in enumerate(reports.values()):
        hidden = report["transfer_ms"] - report["exposed_ms"]
        _bar(axes, "hidden", 0.0, hidden, row)
        _bar(axes, "exposed", hidden, report["transfer_ms"], row)
        beyond = max(report["transfer_ms"], window_ms)  # clear of the window's line
        axes.text(beyond, row, f"  {report['exposed_ms']:.1f} exposed", va="center", fontsize=9)
    axes.axvline(window_ms, color=STYLES["compute"][0], linewidth=2)
    axes.text(
        window_ms, -0.62, f" window {window_ms:g} ms", color=STYLES["compute"][0], fontsize=9, va="bottom"
    )
    axes.set_yticks(range(len(reports)), labels=list(reports))
    axes.set_ylim(len(reports) - 0.5, -1.1)
    axes.margins(x=0.12)
    axes.set_xlabel("time since the transfer began (ms)")
    axes.set_title(title, fontsize=10, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    return _finish(axes, ["hidden", "exposed"])
