"""Pictures of decisions: when a handed-off state may be read, and what decode does until then.

Each square and each slice of time is one call of the student's function.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Patch

Validation = Mapping[str, Any]

# action -> (face colour, hatch)
ACTIONS: dict[str, tuple[str, str]] = {
    "ready": ("#009E73", ""),
    "wait": ("#56B4E9", ".."),
    "fallback": ("#D55E00", "//"),
    "recompute": ("#CC79A7", "xx"),
}
_LABEL_BOX = {"facecolor": "white", "alpha": 0.85, "pad": 1, "linewidth": 0}


def _legend(figure: Figure, labels: Mapping[str, str]) -> None:
    handles = [
        Patch(facecolor=ACTIONS[action][0], hatch=ACTIONS[action][1], edgecolor="white", label=label)
        for action, label in labels.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=9)


def draw_decisions(
    plan_decode_start: Callable[[Validation, float, float], str],
    validations: Mapping[str, Validation],
    instants_ms: Sequence[float] = tuple(range(9)),
) -> Figure:
    """Draw the decision map of the student's function: one panel for each validation.

    Args:
        plan_decode_start: The student's function.
        validations: Title of the panel -> what `validate_handoff_state` returned.
        instants_ms: Evenly spaced instants, at least two; tried as ready_at_ms and as deadline_ms.

    Returns:
        The figure.

    Raises:
        ValueError: If there is nothing to draw, or the function returns an unknown action.
    """
    __tracebackhide__ = True  # a student's traceback shows their own code
    if not validations or len(instants_ms) < 2:
        raise ValueError("draw_decisions needs a validation and at least two instants")
    squares = list(itertools.product(instants_ms, repeat=2))
    maps = {
        name: [plan_decode_start(validation, *square) for square in squares]
        for name, validation in validations.items()
    }
    unknown = {action for actions in maps.values() for action in actions} - ACTIONS.keys()
    if unknown:
        raise ValueError(f"unknown action {min(unknown)!r}: use one of {', '.join(ACTIONS)}")
    figure, grid = plt.subplots(
        1, len(maps), figsize=(8, 3.5), squeeze=False, sharey=True, layout="constrained"
    )
    step = instants_ms[1] - instants_ms[0]
    for axes, (name, actions) in zip(grid[0], maps.items(), strict=True):
        for action in dict.fromkeys(actions):
            here = [square for square, other in zip(squares, actions, strict=True) if other == action]
            ready_at, deadline = zip(*here, strict=True)
            face, hatch = ACTIONS[action]
            axes.bar(
                ready_at, step, bottom=[instant - step / 2 for instant in deadline], width=step,
                color=face, hatch=hatch, edgecolor="white", linewidth=0.6,
            )  # fmt: skip
        ends = (instants_ms[0], instants_ms[-1])
        axes.plot(ends, ends, color="black", linewidth=1, linestyle="--")
        axes.set(xlabel="ready_at_ms", aspect="equal")
        axes.set_title(name, fontsize=10)
    grid[0][0].set_ylabel("deadline_ms")
    _legend(figure, {action: action for action in ACTIONS})
    plt.close(figure)
    return figure


def draw_readiness(
    validate_handoff_state: Callable[[Mapping[str, Any], str, int], Validation],
    arrivals: Sequence[tuple[float, Mapping[str, Any]]],
    expected: tuple[str, int],
    end_ms: float,
) -> Figure:
    """Draw which fields have arrived when, and from when on the student's function lets decode read.

    Args:
        validate_handoff_state: The student's function.
        arrivals: ``(instant_ms, fields)`` in order of time: these fields become visible then.
        expected: ``(request_id, version)`` that decode waits for.
        end_ms: Where the picture ends.

    Returns:
        The figure.

    Raises:
        ValueError: If nothing arrives.
    """
    __tracebackhide__ = True  # a student's traceback shows their own code
    if not arrivals:
        raise ValueError("draw_readiness needs at least one arrival")
    fields = list(dict.fromkeys(field for _, seen in arrivals for field in seen))
    ends = [*(instant for instant, _ in arrivals[1:]), end_ms]
    state: dict[str, Any] = {}
    slices = []
    for (start, seen), end in zip(arrivals, ends, strict=True):
        state.update(seen)
        slices.append((start, end, seen, dict(state), validate_handoff_state(dict(state), *expected)))
    figure, axes = plt.subplots(figsize=(8, 1.6 + 0.4 * len(fields)), layout="constrained")
    for start, end, seen, known, report in slices:
        for row, field in enumerate(fields):
            if field in known:
                axes.barh(row, end - start, left=start, height=0.5, color="#E69F00")
            if field in seen:
                axes.vlines(start, row - 0.25, row + 0.25, color="#404040", linewidth=1)
                axes.text(start, row, f" {seen[field]}", va="center", fontsize=8)
        action = "ready" if report["ready"] else "recompute" if report["incompatible"] else "wait"
        face, hatch = ACTIONS[action]
        axes.barh(
            len(fields), end - start, left=start, height=0.7, color=face, hatch=hatch, edgecolor="white"
        )
        counts = {"missing": len(report["missing"]), "wrong": len(report["incompatible"])}
        text = "\n".join(f"{count} {word}" for word, count in counts.items() if count) or "read"
        axes.text((start + end) / 2, len(fields), text, ha="center", va="center", fontsize=8, bbox=_LABEL_BOX)
    axes.set_yticks(range(len(fields) + 1), labels=[*fields, "my verdict"])
    axes.set_ylim(len(fields) + 0.5, -0.5)
    axes.set_xlim(arrivals[0][0], end_ms)
    axes.set_xlabel("time (ms)")
    axes.spines[["top", "right"]].set_visible(False)
    _legend(figure, {"ready": "ready", "wait": "something missing", "recompute": "something incompatible"})
    plt.close(figure)
    return figure
