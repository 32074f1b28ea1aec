"""A student's cells behave as at home: magics, shells, display, await, figures, tracebacks."""

import pytest

from autograde.executors import Finished
from autograde.sandbox import Kind
from autograde.student.undrawn import Undrawn, undrawn
from tests.engine.conftest import Start
from tests.engine.course_in_code import answer, assignment, check, given, graded_answer, points_of, submission

TASK = assignment(
    given("%matplotlib inline\nimport matplotlib.pyplot as plt"),
    answer("x = 1", grade_id="cell"),
    graded_answer("picture", "plt.plot([1, 2]);", "# draw here"),
    check("t", "assert x == 1"),
)


def run(start: Start, kind: Kind, text: str, picture: str = "") -> Finished:
    (finished,) = start(TASK, kind).run(
        [submission(TASK, {"cell": text, "picture": picture or "# draw here"})]
    )
    return finished


def shown(start: Start, kind: Kind, text: str) -> list[dict[str, object]]:
    return [dict(output) for output in run(start, kind, text).runs["book"][1].outputs]


def printed(start: Start, kind: Kind, text: str) -> str:
    return "".join(str(output.get("text", "")) for output in shown(start, kind, text))


def test_the_last_value_is_shown_unless_a_semicolon_ends_it(start: Start, kind: Kind) -> None:
    assert shown(start, kind, "x = 1\nx + 1") == [
        {"output_type": "execute_result", "data": {"text/plain": "2"}, "metadata": {}}
    ]
    assert shown(start, kind, "x = 1\nx + 1;") == []


def test_magics_and_shell_lines_work(start: Start, kind: Kind) -> None:
    assert "Wall time" in printed(start, kind, "%%time\nx = 1")
    assert printed(start, kind, "x = 1\n!echo from the shell").replace("\r", "") == "from the shell\n"
    assert printed(start, kind, "%%bash\necho from bash").strip() == "from bash"
    assert points_of(run(start, kind, "lines = !echo 1\nx = int(lines[0])"))["t"] == 1.0


def test_installing_says_that_it_does_nothing(start: Start, kind: Kind) -> None:
    finished = run(start, kind, "%pip install something\nx = 1")
    assert "not run" in finished.runs["book"][1].outputs[0]["text"]
    assert points_of(finished)["t"] == 1.0


def test_display_and_get_ipython_are_there(start: Start, kind: Kind) -> None:
    text = "display('seen')\nfrom IPython.display import HTML\ndisplay(HTML('<b>bold</b>'))\nx = int(bool(get_ipython()))"
    outputs = shown(start, kind, text)
    assert outputs[0]["data"] == {"text/plain": "'seen'"}
    assert "<b>" not in str(outputs)  # only plain text is kept: nothing to escape later


def test_await_at_the_top_of_a_cell(start: Start, kind: Kind) -> None:
    assert points_of(run(start, kind, "import asyncio\nawait asyncio.sleep(0)\nx = 1"))["t"] == 1.0


def test_earlier_results_are_in_underscores_and_out(start: Start, kind: Kind) -> None:
    (finished,) = start(TASK, kind).run([submission(TASK, {"cell": "x = _ + Out[2] - 13"}, added={1: "7"})])
    assert points_of(finished)["t"] == 1.0


def test_an_error_has_its_traceback_and_no_line_of_ours(start: Start, kind: Kind) -> None:
    (error,) = shown(start, kind, "def f():\n    return 1 / 0\nf()")
    assert error["ename"] == "ZeroDivisionError" and error["evalue"] == "division by zero"
    text = "\n".join(error["traceback"])  # type: ignore[arg-type]
    assert "return 1 / 0" in text and "autograde" not in text


def test_a_picture_is_made_only_where_a_person_grades(start: Start, kind: Kind) -> None:
    finished = run(start, kind, "x = 1\nplt.plot([1, 2])\nplt.show()", picture="plt.plot([2, 1])\nplt.show()")
    runs = finished.runs["book"]
    assert not any("image/png" in output.get("data", {}) for output in runs[1].outputs)
    assert any("image/png" in output.get("data", {}) for output in runs[2].outputs)


def test_warnings_and_logs_cost_nothing(start: Start, kind: Kind) -> None:
    text = "import logging, sys, warnings\nwarnings.warn('old')\nlogging.warning('low')\nprint('e', file=sys.stderr)\nx = 1"
    finished = run(start, kind, text)
    assert points_of(finished)["t"] == 1.0
    assert "old" in str(finished.runs["book"][1].outputs)


def test_two_kernels_do_not_draw_the_same_random_numbers(start: Start, kind: Kind) -> None:
    text = "import random, numpy as np\nx = 1\nprint(random.random(), np.random.rand())"
    first, second = printed(start, kind, text), printed(start, kind, text)
    assert first.split()[0] != second.split()[0] and first.split()[1] != second.split()[1]


def test_a_picture_that_is_the_value_of_a_graded_cell_is_kept(start: Start, kind: Kind) -> None:
    task = assignment(
        given("import matplotlib.pyplot as plt"),
        graded_answer("drawn", "fig, ax = plt.subplots()\nplt.close(fig)\nfig", "..."),
    )
    (finished,) = start(task, kind).run([submission(task, {"drawn": task.notebooks[0].cells[1].source})])
    (output,) = finished.runs["book"][1].outputs
    assert output["output_type"] == "execute_result"
    assert output["data"].keys() == {"text/plain", "image/png"}


def test_pyplot_is_afterwards_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib.pyplot as plt

    with undrawn():  # as the warm process does
        pass
    monkeypatch.delattr(plt, "scatter")
    before = dict(vars(plt))
    asked = Undrawn.asked
    with undrawn():
        figure, _ = plt.subplots()
        plt.scatter([1], [2])
        assert isinstance(figure, Undrawn)
    assert vars(plt) == before
    assert Undrawn.asked == asked + 2
