"""`check_all`: run a notebook's visible tests again and draw how far the student has come."""

from collections.abc import Callable, Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

PASSED, OPEN, FAILED = "passed", "not written yet", "failed"
# state -> (face colour, hatch, mark)
_STYLES = {PASSED: ("#009E73", "", "✓"), OPEN: ("#F0F0F0", "xx", "…"), FAILED: ("#D55E00", "//", "✗")}


def run_checks(checks: Mapping[str, Sequence[Callable[[], object]]]) -> dict[str, tuple[str, str]]:
    """Run each test and say how its TODO stands.

    Args:
        checks: TODO -> its visible tests, functions without arguments that raise if a rule is broken.

    Returns:
        TODO -> ``(state, message)``; the message of the first test that does not pass, else "".

    Example:
        >>> def test_sum():
        ...     assert 1 + 1 == 3, "addition"
        >>> run_checks({"TODO 1": [test_sum]})
        {'TODO 1': ('failed', 'addition')}
    """
    results = {}
    for todo, tests in checks.items():
        results[todo] = (PASSED, "")
        for test in tests:
            try:
                test()
            except NotImplementedError as problem:
                results[todo] = (OPEN, str(problem))
            except Exception as problem:  # whatever a student's code raises is a result, not our error
                results[todo] = (FAILED, str(problem) or type(problem).__name__)
            if results[todo][0] != PASSED:
                break
    return results


def check_all(checks: Mapping[str, Sequence[Callable[[], object]]]) -> Figure:
    """Run the visible tests, print what does not pass, and draw a strip with one box for each TODO.

    Args:
        checks: As for :func:`run_checks`.

    Returns:
        The strip.

    Raises:
        ValueError: If there is nothing to check.
    """
    if not checks:
        raise ValueError("check_all needs at least one TODO")
    results = run_checks(checks)
    for todo, (state, message) in results.items():
        print(f"{todo}: {state}" + (f" — {message}" if message else ""))
    figure, axes = plt.subplots(figsize=(8, 0.9), layout="constrained")
    for column, (todo, (state, _)) in enumerate(results.items()):
        face, hatch, mark = _STYLES[state]
        axes.barh(0, 0.94, left=column, color=face, hatch=hatch, edgecolor="#404040")
        box = {"facecolor": "white", "alpha": 0.8, "pad": 2, "linewidth": 0}
        axes.text(column + 0.47, 0, f"{mark} {todo}", ha="center", va="center", fontsize=10, bbox=box)
    done = sum(state == PASSED for state, _ in results.values())
    axes.set_title(f"visible tests: {done} of {len(results)} TODOs", fontsize=10, loc="left")
    axes.set_axis_off()
    plt.close(figure)
    return figure
