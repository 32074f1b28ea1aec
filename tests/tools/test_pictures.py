"""The pictures show what the data, or the student's own function, say: shapes, colours, warnings."""

import io
import warnings
from collections.abc import Callable, Iterator

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tools.decisions import ACTIONS, draw_decisions, draw_readiness
from tools.progress import FAILED, OPEN, PASSED, check_all, run_checks
from tools.timeline import STYLES, draw_exposure, draw_handoffs, draw_timeline, exposure_slices

Interval = tuple[float, float]
COLOUR_OF = {kind: style[0] for kind, style in STYLES.items()}


def honest(transfer: Interval, covers: list[Interval]) -> dict[str, float]:
    start, end = transfer
    hidden, reached = 0.0, start
    for left, right in sorted(covers):
        left, right = max(left, reached), min(right, end)
        if right > left:
            hidden, reached = hidden + right - left, right
    return {"total_ms": end - start, "hidden_ms": hidden, "exposed_ms": end - start - hidden}


def adds_up(transfer: Interval, covers: list[Interval]) -> dict[str, float]:
    """A wrong answer: shared instants count twice."""
    start, end = transfer
    hidden = sum(max(0.0, min(end, right) - max(start, left)) for left, right in covers)
    return {"total_ms": end - start, "hidden_ms": hidden, "exposed_ms": end - start - hidden}


def bars(figure: Figure, colour: str | None = None) -> list[tuple[float, float, float, float]]:
    """Return (left, bottom, width, height) of each bar drawn, of one colour if given."""
    patches = [patch for axes in figure.axes for patch in axes.patches if isinstance(patch, Rectangle)]
    return [
        tuple(
            round(value, 6) for value in (patch.get_x(), patch.get_y(), patch.get_width(), patch.get_height())
        )
        for patch in patches
        if colour is None or to_hex(patch.get_facecolor()).upper() == colour.upper()
    ]


def widths(figure: Figure, kind: str) -> list[tuple[float, float]]:
    return sorted((left, left + width) for left, _, width, _ in bars(figure, COLOUR_OF[kind]))


def texts(figure: Figure) -> str:
    labels = [text.get_text() for axes in figure.axes for text in axes.texts]
    titles = [axes.get_title(loc=loc) for axes in figure.axes for loc in ("left", "center")]
    ticks = [label.get_text() for axes in figure.axes for label in axes.get_yticklabels()]
    legends = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    return "\n".join([*labels, *titles, *ticks, *legends])


def render(figure: Figure) -> None:
    """Draw it for real: a missing glyph is a warning, and a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.savefig(io.BytesIO(), format="png")


@pytest.fixture(autouse=True)
def no_open_figures() -> Iterator[None]:
    """A figure left open would be shown twice in a notebook, and be kept in memory."""
    yield
    assert plt.get_fignums() == []


def test_a_timeline_has_one_bar_for_each_piece_and_the_first_lane_on_top() -> None:
    lanes = {"copy engine": [("transfer", 0, 4, "KV"), ("idle", 4, 6)], "SMs": [("compute", 1, 3)]}
    figure = draw_timeline(lanes, title="two engines")
    assert widths(figure, "transfer") == [(0, 4)] and widths(figure, "compute") == [(1, 3)]
    assert widths(figure, "idle") == [(4, 6)] and len(bars(figure)) == 3
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["copy engine", "SMs"]
    assert axes.yaxis_inverted() and axes.get_xlabel() == "time (ms)"
    assert {"KV", "two engines", "compute", "transfer", "idle"} <= set(texts(figure).splitlines())
    render(figure)


def test_hatching_repeats_what_colours_say() -> None:
    assert (
        len({style[:2] for style in STYLES.values()})
        == len({style[2] for style in STYLES.values()})
        == len(STYLES)
    )
    assert len({STYLES[kind][1] for kind in ("transfer", "hidden", "exposed", "idle", "unclear")}) == 5
    assert STYLES["hidden"][0] == STYLES["transfer"][0] and STYLES["hidden"][1] != STYLES["transfer"][1]
    assert (STYLES["compute"][0], STYLES["transfer"][0], STYLES["exposed"][0]) == (
        "#0072B2",
        "#E69F00",
        "#D55E00",
    )


@pytest.mark.parametrize(("lanes", "reason"), [
    ({}, "needs at least one lane"),
    ({"SMs": [("computing", 0, 1)]}, "unknown kind 'computing': use one of compute, transfer"),
    ({"SMs": [("compute", 3, 1)]}, "ends before it starts"),
])  # fmt: skip
def test_a_timeline_refuses_what_it_cannot_draw(lanes: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        draw_timeline(lanes)
    plt.close("all")


def test_a_timeline_can_be_drawn_into_given_axes() -> None:
    figure, axes = plt.subplots()
    assert draw_timeline({"link": [("exposed", 0, 2)]}, axes=axes) is figure
    assert widths(figure, "exposed") == [(0, 2)]


def test_slices_are_cut_at_each_edge_and_coloured_by_the_function() -> None:
    slices = exposure_slices(honest, (0.0, 10.0), [(1.0, 4.0), (3.0, 7.0), (12.0, 14.0)])
    assert [kind for kind, _, _ in slices] == ["exposed", "hidden", "hidden", "hidden", "exposed"]
    assert [edges for _, *edges in slices] == [[0.0, 1.0], [1.0, 3.0], [3.0, 4.0], [4.0, 7.0], [7.0, 10.0]]
    assert exposure_slices(honest, (5.0, 5.0), [(0.0, 9.0)]) == []
    assert exposure_slices(honest, (0.0, 2.0), []) == [("exposed", 0.0, 2.0)]


def test_each_slice_is_one_call_of_the_students_function() -> None:
    asked: list[Interval] = []

    def spy(transfer: Interval, covers: list[Interval]) -> dict[str, float]:
        asked.append(transfer)
        return honest(transfer, covers)

    covers = [(1.0, 4.0)]
    exposure_slices(spy, (0.0, 10.0), covers)
    assert asked == [(0.0, 1.0), (1.0, 4.0), (4.0, 10.0)] and covers == [(1.0, 4.0)]


def test_an_answer_that_contradicts_itself_is_flagged() -> None:
    covers = [(1.0, 4.0), (3.0, 7.0)]
    assert ("unclear", 3.0, 4.0) in exposure_slices(adds_up, (0.0, 10.0), covers)
    figure = draw_exposure(adds_up, (0.0, 10.0), covers, title="mine")
    assert widths(figure, "unclear") == [(3, 4)]
    assert "[!] the slices add up to 4 exposed" in texts(figure)
    assert "the answer contradicts itself here" in texts(figure)
    render(figure)


def test_totals_that_no_slice_supports_are_flagged() -> None:
    def too_little(transfer: Interval, covers: list[Interval]) -> dict[str, float]:
        report = honest(transfer, covers)
        return report if transfer[1] - transfer[0] < 10 else {**report, "exposed_ms": 0.0}

    assert "[!] the slices add up to 6 exposed" in texts(draw_exposure(too_little, (0.0, 10.0), [(0.0, 4.0)]))


def test_an_unclear_slice_is_flagged_even_if_the_totals_agree() -> None:
    def half_a_slice(transfer: Interval, covers: list[Interval]) -> dict[str, float]:
        report = honest(transfer, covers)
        return {**report, "exposed_ms": 0.5} if transfer == (3.0, 4.0) else report

    figure = draw_exposure(half_a_slice, (0.0, 10.0), [(1.0, 4.0), (3.0, 7.0)])
    assert "total 10 ms = hidden 6 + exposed 4   [!]" in texts(figure)


def test_an_answer_that_empties_its_windows_is_asked_about_copies() -> None:
    def greedy(transfer: Interval, covers: list[Interval]) -> dict[str, float]:
        report = honest(transfer, covers)
        covers.clear()
        return report

    covers = [(1.0, 4.0)]
    assert [kind for kind, _, _ in exposure_slices(greedy, (0.0, 10.0), covers)] == [
        "exposed",
        "hidden",
        "exposed",
    ]
    assert widths(draw_exposure(greedy, (0.0, 10.0), covers), "hidden") == [(1, 4)] and covers


def test_a_right_answer_is_drawn_without_a_warning() -> None:
    figure = draw_exposure(honest, (0.0, 10.0), [(1.0, 4.0), (3.0, 7.0), (12.0, 14.0)], title="mine")
    assert "[!]" not in texts(figure) and "total 10 ms = hidden 6 + exposed 4" in texts(figure)
    assert widths(figure, "exposed") == [(0, 1), (7, 10)]
    assert widths(figure, "compute") == [(1, 4), (3, 7), (12, 14)]
    render(figure)


def test_handoffs_are_split_into_hidden_and_exposed() -> None:
    reports = {
        "small": {"transfer_ms": 9.0, "exposed_ms": 0.0}, "large": {"transfer_ms": 54.0, "exposed_ms": 24.0}
    }  # fmt: skip
    figure = draw_handoffs(reports, 30.0, title="behind a step")
    assert widths(figure, "hidden") == [(0, 9), (0, 30)]
    assert widths(figure, "exposed") == [(9, 9), (30, 54)]
    assert "24.0 exposed" in texts(figure) and "window 30 ms" in texts(figure)
    render(figure)
    with pytest.raises(ValueError, match="at least one handoff"):
        draw_handoffs({}, 30.0)


INCOMPLETE = {"ready": False, "missing": ["metadata_ready"], "incompatible": []}


def plan(validation: dict, ready_at_ms: float, deadline_ms: float) -> str:
    if validation["incompatible"]:
        return "recompute"
    if validation["ready"]:
        return "ready"
    return "wait" if ready_at_ms <= deadline_ms else "fallback"


def test_the_decision_map_has_one_square_for_each_call() -> None:
    figure = draw_decisions(plan, {"missing": INCOMPLETE, "ready": {**INCOMPLETE, "ready": True}}, [0, 1, 2])
    assert len(bars(figure)) == 18
    assert len(bars(figure, ACTIONS["wait"][0])) == 6 and len(bars(figure, ACTIONS["fallback"][0])) == 3
    assert len(bars(figure, ACTIONS["ready"][0])) == 9 and bars(figure, ACTIONS["recompute"][0]) == []
    assert {"missing", "ready", "wait", "fallback", "recompute"} <= set(texts(figure).splitlines())
    render(figure)


def test_the_decision_map_shows_a_wrong_edge() -> None:
    def strict(validation: dict, ready_at_ms: float, deadline_ms: float) -> str:
        return "wait" if ready_at_ms < deadline_ms else "fallback"

    figure = draw_decisions(strict, {"missing": INCOMPLETE}, [0, 1, 2])
    assert len(bars(figure, ACTIONS["wait"][0])) == 3, "the diagonal falls back"


@pytest.mark.parametrize(("answer", "validations", "instants", "reason"), [
    (plan, {}, [0, 1], "needs a validation"),
    (plan, {"missing": INCOMPLETE}, [0], "at least two instants"),
    (lambda *_: "stay", {"missing": INCOMPLETE}, [0, 1], "unknown action 'stay': use one of ready, wait"),
    (lambda *_: None, {"missing": INCOMPLETE}, [0, 1], "unknown action None"),
])  # fmt: skip
def test_the_decision_map_refuses_what_it_cannot_draw(
    answer: Callable, validations: dict, instants: list, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        draw_decisions(answer, validations, instants)
    plt.close("all")


def validate(state: dict, request_id: str, version: int) -> dict:
    missing = [name for name in ("payload_ready", "ownership_ready") if not state.get(name)]
    incompatible = [] if state.get("version") == version else ["version"]
    return {"ready": not missing and not incompatible, "missing": missing, "incompatible": incompatible}


ARRIVALS = [
    (0.0, {"version": 2}),
    (4.0, {"version": 3}),
    (8.0, {"payload_ready": True}),
    (13.0, {"ownership_ready": True}),
]


def test_readiness_follows_the_students_verdicts() -> None:
    figure = draw_readiness(validate, ARRIVALS, expected=("r1", 3), end_ms=20.0)
    verdicts = {
        action: [(bar[0], bar[0] + bar[2]) for bar in bars(figure, ACTIONS[action][0])] for action in ACTIONS
    }
    assert verdicts["recompute"] == [(0, 4)] and verdicts["wait"] == [(4, 8), (8, 13)]
    assert verdicts["ready"] == [(13, 20)] and verdicts["fallback"] == []
    assert {"read", "2 missing", "1 wrong", "1 missing", "my verdict"} <= set(texts(figure).splitlines())
    render(figure)
    with pytest.raises(ValueError, match="at least one arrival"):
        draw_readiness(validate, [], expected=("r1", 3), end_ms=20.0)


def test_readiness_asks_about_copies_of_the_state() -> None:
    def greedy(state: dict, request_id: str, version: int) -> dict:
        report = validate(state, request_id, version)
        state.clear()
        return report

    figure = draw_readiness(greedy, ARRIVALS, expected=("r1", 3), end_ms=20.0)
    assert len(bars(figure, ACTIONS["ready"][0])) == 1


def passes() -> None:
    pass


def fails() -> None:
    raise AssertionError("先裁剪，再合并 / clip, then merge")


def unwritten() -> None:
    raise NotImplementedError("TODO 2 · estimate_handoff: 还没有写 / not written yet")


def crashes() -> None:
    raise KeyError


def test_checks_say_how_each_todo_stands() -> None:
    checks = {
        "A": [passes, passes],
        "B": [passes, fails, unwritten],
        "C": [unwritten],
        "D": [crashes],
        "E": [],
    }
    assert run_checks(checks) == {
        "A": (PASSED, ""),
        "B": (FAILED, "先裁剪，再合并 / clip, then merge"),
        "C": (OPEN, "TODO 2 · estimate_handoff: 还没有写 / not written yet"),
        "D": (FAILED, "KeyError"),
        "E": (PASSED, ""),
    }


def test_check_all_prints_what_does_not_pass_and_draws_a_strip(capsys: pytest.CaptureFixture[str]) -> None:
    figure = check_all({"TODO 1": [passes], "TODO 2": [fails], "TODO 3": [unwritten]})
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "TODO 1: passed" and said[1].startswith("TODO 2: failed — 先裁剪")
    assert said[2].startswith("TODO 3: not written yet — TODO 2")
    assert "visible tests: 1 of 3 TODOs" in texts(figure)
    assert {"✓ TODO 1", "✗ TODO 2", "… TODO 3"} <= set(texts(figure).splitlines())
    assert len(bars(figure)) == 3
    render(figure)


def test_check_all_needs_something_to_check() -> None:
    with pytest.raises(ValueError, match="at least one TODO"):
        check_all({})
