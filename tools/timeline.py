"""Pictures of time: what ran where, what was hidden, and what the student's own function says.

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
    "hidden": ("#E69F00", "..", "transfer, hidden"),
    "exposed": ("#D55E00", "//", "transfer, exposed"),
    "idle": ("#F0F0F0", "xx", "idle"),
    "unclear": ("#CC79A7", "++", "the answer contradicts itself here"),
}
DECISIONS: dict[str, tuple[str, str]] = {
    "ready": ("#009E73", ""),
    "wait": ("#56B4E9", ".."),
    "fallback": ("#D55E00", "//"),
    "recompute": ("#CC79A7", "xx"),
}
_EDGE = "#404040"
_TOLERANCE = 1e-9


def _bar(axes: Axes, kind: str, start: float, end: float, row: float, text: str = "") -> None:
    face, hatch, _ = STYLES[kind]
    axes.barh(
        row, end - start, left=start, height=0.62, color=face, hatch=hatch, edgecolor=_EDGE, linewidth=0.7
    )
    if text:
        colour = "white" if kind == "compute" else "black"
        box = None if kind == "compute" else {"facecolor": "white", "alpha": 0.75, "pad": 1, "linewidth": 0}
        axes.text((start + end) / 2, row, text, ha="center", va="center", fontsize=9, color=colour, bbox=box)


def _legend(axes: Axes, kinds: Iterable[str]) -> None:
    handles = [
        Patch(facecolor=face, hatch=hatch, edgecolor=_EDGE, label=label)
        for face, hatch, label in (STYLES[kind] for kind in dict.fromkeys(kinds))
    ]
    axes.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.3),
        ncols=len(handles),
        frameon=False,
        fontsize=9,
    )


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
        <Figure size 800x196 with 1 Axes>
    """
    if not lanes:
        raise ValueError("draw_timeline needs at least one lane")
    if axes is None:
        _, axes = plt.subplots(figsize=(8, 1.0 + 0.48 * len(lanes)), layout="constrained")
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
    if kinds:
        _legend(axes, kinds)
    return _finish(axes)


def _finish(axes: Axes) -> Figure:
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("these axes belong to no figure")
    plt.close(figure)
    return figure


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
        axes.text(
            report["transfer_ms"], row, f"  {report['exposed_ms']:.1f} exposed", va="center", fontsize=9
        )
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
    _legend(axes, ["hidden", "exposed"])
    return _finish(axes)


def draw_decisions(
    plan_decode_start: Callable[[Mapping[str, object], float, float], str],
    validations: Mapping[str, Mapping[str, object]],
    instants_ms: Sequence[float] = tuple(range(11)),
) -> Figure:
    """Draw the decision map of the student's function: one panel for each validation.

    Each square is one call: ready_at_ms across, deadline_ms upwards.

    Args:
        plan_decode_start: The student's function.
        validations: Title of the panel -> what `validate_handoff_state` returned.
        instants_ms: The instants that are tried on both axes.

    Returns:
        The figure.

    Raises:
        ValueError: If there is no validation, or the function returns an unknown action.
    """
    if not validations:
        raise ValueError("draw_decisions needs at least one validation")
    figure, grid = plt.subplots(
        1, len(validations), figsize=(8, 3.6), squeeze=False, sharey=True, layout="constrained"
    )
    step = min(b - a for a, b in itertools.pairwise(instants_ms))
    for axes, (name, validation) in zip(grid[0], validations.items(), strict=True):
        for ready_at in instants_ms:
            for deadline in instants_ms:
                action = plan_decode_start(validation, ready_at, deadline)
                if action not in DECISIONS:
                    raise ValueError(f"unknown action {action!r}: use one of {', '.join(DECISIONS)}")
                face, hatch = DECISIONS[action]
                axes.bar(
                    ready_at, step, bottom=deadline - step / 2, width=step,
                    color=face, hatch=hatch, edgecolor="white", linewidth=0.6,
                )  # fmt: skip
        ends = (instants_ms[0], instants_ms[-1])
        axes.plot(ends, ends, color="black", linewidth=1, linestyle="--")
        axes.set(title=name, xlabel="ready_at_ms", aspect="equal")
        axes.title.set_fontsize(10)
    grid[0][0].set_ylabel("deadline_ms")
    handles = [
        Patch(facecolor=face, hatch=hatch, edgecolor="white", label=action)
        for action, (face, hatch) in DECISIONS.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=9)
    plt.close(figure)
    return figure
