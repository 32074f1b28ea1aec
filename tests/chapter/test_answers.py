"""The tests of the chapter, tested: wrong answers lose points, right ones don't, whatever their style."""

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chapter.sitting import (
    NOTEBOOK_OF,
    answers_to,
    lost,
    managed_cells,
    of_todo,
    sit,
    sit_one,
    source_of,
)

POINTS = {
    "todo1-exposed-interval": 35,
    "todo2-handoff-estimate": 25,
    "todo3-handoff-state": 25,
    "todo4-decode-start": 15,
}
TODOS = list(POINTS)
RIGHT = [(todo, path) for todo in TODOS for path in answers_to(todo, "right")]
WRONG = [(todo, path) for todo in TODOS for path in answers_to(todo, "wrong")]


def _name(value: object) -> str:
    return value.stem if isinstance(value, Path) else str(value).split("-")[0]


@pytest.mark.parametrize("todo", TODOS)
def test_there_are_enough_answers_and_each_says_what_it_is(todo: str) -> None:
    assert len(answers_to(todo, "wrong")) >= 18
    assert len(answers_to(todo, "right")) >= 7
    for path in [*answers_to(todo, "wrong"), *answers_to(todo, "right")]:
        assert path.read_text(encoding="utf-8").startswith("# "), f"{path.name}: first line says what it is"
    texts = [path.read_text(encoding="utf-8").split("\n", 1)[1] for path in answers_to(todo, "wrong")]
    assert len(set(texts)) == len(texts), "two wrong answers are the same"


@pytest.mark.parametrize(("todo", "path"), WRONG, ids=_name)
def test_a_wrong_answer_loses_points(
    todo: str, path: Path, record_property: Callable[[str, object], None], capsys: pytest.CaptureFixture[str]
) -> None:
    caught = lost(of_todo(todo, sit_one(todo, path.read_text(encoding="utf-8"))))
    record_property("caught_by", " ".join(caught))
    assert caught, f"{path.stem} gets full marks"


@pytest.mark.parametrize(("todo", "path"), RIGHT, ids=_name)
def test_a_right_answer_gets_full_marks_in_silence(
    todo: str, path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verdicts = sit_one(todo, path.read_text(encoding="utf-8"))
    assert {name: verdict.raised for name, verdict in verdicts.items() if verdict.lost} == {}
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("first", answers_to("todo1-exposed-interval", "right"), ids=_name)
def test_right_answers_work_together(first: Path) -> None:
    for second in answers_to("todo2-handoff-estimate", "right"):
        both = {
            "todo1-exposed-interval": first.read_text(encoding="utf-8"),
            "todo2-handoff-estimate": second.read_text(encoding="utf-8"),
        }
        assert lost(sit("exposed_time", both)) == [], f"{first.stem} with {second.stem}"


def test_the_reference_scores_100_split_35_25_25_15(capfd: pytest.CaptureFixture[str]) -> None:
    verdicts = sit("exposed_time", {}) | sit("state_handoff", {})
    assert lost(verdicts) == []
    assert {todo: sum(v.points for v in of_todo(todo, verdicts).values()) for todo in TODOS} == POINTS
    assert sum(verdict.points for verdict in verdicts.values()) == 100
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("todo", TODOS)
@pytest.mark.parametrize("edition", ["zh", "en"])
def test_a_stub_scores_nothing_on_any_cell(todo: str, edition: str) -> None:
    own = of_todo(todo, sit_one(todo, source_of(todo, edition)))
    assert len(own) >= 3
    assert {name: verdict.points for name, verdict in own.items()} == dict.fromkeys(own, 0)
    assert {type(verdict.raised) for verdict in own.values()} == {NotImplementedError}


def test_an_untouched_notebook_scores_nothing() -> None:
    for notebook in ("exposed_time", "state_handoff"):
        stubs = {todo: source_of(todo, "zh") for todo in TODOS if NOTEBOOK_OF[todo] == notebook}
        assert sum(verdict.points for verdict in sit(notebook, stubs).values()) == 0


@pytest.mark.parametrize("todo", TODOS)
def test_points_are_split_and_every_hidden_cell_is_needed(todo: str) -> None:
    """For each cell there is a wrong answer that it catches; for each hidden one, past the visible test."""
    verdicts = [of_todo(todo, sit_one(todo, path.read_text())) for path in answers_to(todo, "wrong")]
    visible = f"{todo}-test-visible"
    cells = list(verdicts[0])
    assert visible in cells and len(cells) >= 3
    for cell in cells:
        caught = [v for v in verdicts if v[cell].lost and (cell == visible or not v[visible].lost)]
        assert caught, f"{cell} catches nothing that the visible test lets pass"


@pytest.mark.parametrize("todo", TODOS)
def test_partial_understanding_earns_partial_points(todo: str) -> None:
    scores = [
        sum(verdict.points for verdict in of_todo(todo, sit_one(todo, path.read_text())).values())
        for path in answers_to(todo, "wrong")
    ]
    assert sum(0 < score < POINTS[todo] for score in scores) >= len(scores) / 2


@pytest.mark.parametrize(("todo", "other"), [
    ("todo2-handoff-estimate", "todo1-exposed-interval"),
    ("todo3-handoff-state", "todo4-decode-start"),
    ("todo4-decode-start", "todo3-handoff-state"),
])  # fmt: skip
def test_independent_todos_do_not_cost_each_other_points(
    todo: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in answers_to(todo, "wrong"):
        verdicts = sit_one(todo, path.read_text(encoding="utf-8"))
        assert lost(of_todo(other, verdicts)) == [], f"{path.stem} costs points of {other}"


@pytest.mark.parametrize(("wrong", "still_earned"), [
    ("unsorted", 25), ("sorts_the_argument", 25), ("empties_the_argument", 25), ("moves_the_transfer", 25),
    ("refuses_zero_length", 20), ("no_left_clip", 20), ("no_right_clip", 15), ("drops_touching", 25),
    ("rounds_the_result", 25), ("merge_without_max", 25), ("clips_windows_in_place", 25),
])  # fmt: skip
def test_a_wrong_todo1_costs_todo2_only_what_depends_on_it(wrong: str, still_earned: int) -> None:
    path = next(path for path in answers_to("todo1-exposed-interval", "wrong") if path.stem == wrong)
    verdicts = of_todo("todo2-handoff-estimate", sit_one("todo1-exposed-interval", path.read_text()))
    assert sum(verdict.points for verdict in verdicts.values()) >= still_earned


def test_failing_tests_name_the_rule_in_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    """Each message is a constant of the instructor's notebook: hidden values cannot leak through it."""
    instructor = "\n".join(
        source for name in set(NOTEBOOK_OF.values()) for _, _, source in managed_cells(name)
    )
    messages = set()
    for todo, path in WRONG:
        verdicts = sit_one(todo, path.read_text(encoding="utf-8")).values()
        messages |= {str(v.raised) for v in verdicts if isinstance(v.raised, AssertionError)}
    assert len(messages) >= 30
    for message in messages:
        assert f'"{message}"' in instructor, f"not a constant of the notebook: {message!r}"
        zh, _, en = message.partition(" / ")
        assert any("\u4e00" <= character <= "\u9fff" for character in zh), f"no Chinese: {message!r}"
        assert en.isascii() and len(en.split()) >= 2, f"no English: {message!r}"


def test_every_assertion_of_a_scored_cell_carries_a_message() -> None:
    for notebook in set(NOTEBOOK_OF.values()):
        for grade_id, metadata, source in managed_cells(notebook):
            for line in source.splitlines() if metadata["grade"] else ():
                if line.lstrip().startswith("assert "):
                    assert line.rstrip().endswith('"') or line.rstrip().endswith(", rule"), (grade_id, line)
