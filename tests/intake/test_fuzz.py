"""Whatever bytes arrive, intake ends in one of its outcomes and keeps its promises."""

import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograde.course import Assignment, Submission
from autograde.intake import Intake, admit
from autograde.intake.read import read_notebook
from tests.builder import dump

FUZZ = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
# Keys and values that mean something to a notebook, so that mutations go deeper than the first check.
KEYS = st.sampled_from(
    [
        "cells",
        "source",
        "cell_type",
        "metadata",
        "nbgrader",
        "grade_id",
        "id",
        "outputs",
        "nbformat",
        "points",
    ]
)
VALUES = JSON | st.sampled_from(
    [
        "code",
        "markdown",
        "raw",
        "area",
        "total",
        "area-test",
        "why",
        "setup",
        "def area(w, h): pass",
        "\ud800",
        "\0",
    ]
)


def keeps_promises(assignment: Assignment, intake: Intake) -> None:
    assert len(intake.notebooks) == len(assignment.notebooks)
    for source, laid in zip(assignment.notebooks, intake.notebooks, strict=True):
        assert laid.name == source.name
        for cell in laid.cells:
            cell.text.encode()
            assert "\0" not in cell.text
            assert cell.cell_type in ("code", "markdown", "raw")
        if laid.cells:
            placed = [cell.source_index for cell in laid.cells if cell.source_index is not None]
            needed = {i for i, c in enumerate(source.cells) if c.cell_type == "code" or c.grade_id}
            assert placed == sorted(set(placed))
            assert needed <= set(placed)
            assert len({cell.cell_id for cell in laid.cells}) == len(laid.cells)
        elif not intake.problems:
            assert any(laid.name in note for note in intake.notes)
    for line in (*intake.repairs, *intake.problems, *intake.notes):
        assert line.isprintable()


def admitted(assignment: Assignment, files: dict[str, bytes]) -> Intake:
    return admit(assignment, Submission("student-7", files, {}, None, "", ""))


@FUZZ
@given(content=st.binary(max_size=400))
def test_any_bytes(shapes: Assignment, honest: dict[str, bytes], content: bytes) -> None:
    keeps_promises(shapes, admitted(shapes, honest | {"shapes.ipynb": content}))


@FUZZ
@given(data=st.data())
def test_damaged_bytes_of_an_honest_notebook(shapes: Assignment, honest: dict[str, bytes], data: Any) -> None:
    content = bytearray(honest["shapes.ipynb"])
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(place, min(place + 40, len(content))))
        content[place:end] = data.draw(st.binary(max_size=8))
    keeps_promises(shapes, admitted(shapes, honest | {"shapes.ipynb": bytes(content)}))


@FUZZ
@given(value=JSON)
def test_any_json(shapes: Assignment, honest: dict[str, bytes], value: Any) -> None:
    keeps_promises(shapes, admitted(shapes, honest | {"shapes.ipynb": json.dumps(value).encode()}))


def mutate(node: Any, data: Any, depth: int = 0) -> Any:
    """Change one place of a JSON tree."""
    if not isinstance(node, dict | list) or not node or (depth > 1 and data.draw(st.booleans())):
        return data.draw(VALUES)
    if isinstance(node, list):
        place = data.draw(st.integers(0, len(node) - 1))
        action = data.draw(st.sampled_from(["change", "delete", "double", "swap", "insert"]))
        if action == "change":
            return [*node[:place], mutate(node[place], data, depth + 1), *node[place + 1 :]]
        if action == "delete":
            return [*node[:place], *node[place + 1 :]]
        if action == "double":
            return [*node[:place], node[place], *node[place:]]
        if action == "swap":
            other = data.draw(st.integers(0, len(node) - 1))
            changed = list(node)
            changed[place], changed[other] = changed[other], changed[place]
            return changed
        return [*node[:place], data.draw(VALUES), *node[place:]]
    key = data.draw(st.sampled_from(sorted(node)) | KEYS)
    if data.draw(st.integers(0, 4)) == 0:
        return {name: value for name, value in node.items() if name != key}
    return node | {key: mutate(node.get(key), data, depth + 1)}


@FUZZ
@given(data=st.data())
def test_damaged_structure_of_an_honest_notebook(
    shapes: Assignment, honest: dict[str, bytes], data: Any
) -> None:
    book = json.loads(honest["shapes.ipynb"])
    for _ in range(data.draw(st.integers(1, 8))):
        book = mutate(book, data)
    content = json.dumps(book).encode() if not isinstance(book, dict) else dump_any(book)
    keeps_promises(shapes, admitted(shapes, honest | {"shapes.ipynb": content}))


def dump_any(book: dict[str, Any]) -> bytes:
    try:
        return dump(book)
    except UnicodeEncodeError:
        return json.dumps(book).encode()


@FUZZ
@given(data=st.data())
def test_shuffled_and_stripped_cells(shapes: Assignment, honest: dict[str, bytes], data: Any) -> None:
    book = json.loads(honest["shapes.ipynb"])
    cells = data.draw(st.permutations(book["cells"]))
    kept = cells[: data.draw(st.integers(1, len(cells)))]
    for made in kept:
        drop = data.draw(st.sampled_from(["nothing", "id", "metadata", "both"]))
        if drop in ("id", "both"):
            del made["id"]
        if drop in ("metadata", "both"):
            made["metadata"] = {}
    book["cells"] = kept
    keeps_promises(shapes, admitted(shapes, honest | {"shapes.ipynb": dump(book)}))


@FUZZ
@given(names=st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=4))
def test_any_file_names(shapes: Assignment, honest: dict[str, bytes], names: list[str]) -> None:
    files = {name + ".ipynb": honest["shapes.ipynb"] for name in names}
    keeps_promises(shapes, admitted(shapes, files | {"words.ipynb": honest["words.ipynb"]}))


@FUZZ
@given(
    content=st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode("utf-16", "surrogatepass"))
)
def test_reading_never_fails(content: bytes) -> None:
    raw = read_notebook(content)
    assert bool(raw.problem) != bool(raw.cells)


PIECES = [
    "a,", "a,\n", "a, ", "a\n", "a ", "(", "```\n", "```", "```\n ", "<<<<<<<\n", "a = ", "def a", "def\n",
    "async\n", "async ", " ", "\t", "\n", "a:", "a: ", "a,\ta:", "的", "#\n", "-", "(1)", "\\\n", "é=\n",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["code", "markdown"])
@pytest.mark.parametrize("start", ["", "```", "a", "def area"])
def test_no_text_takes_quadratic_time(
    shapes: Assignment, honest: dict[str, bytes], start: str, kind: str
) -> None:
    """A text of 120 kB takes a twentieth of a second; where time grew with its square, it took minutes."""
    for piece in PIECES:
        book = json.loads(honest["shapes.ipynb"])
        text = start + piece * (120_000 // len(piece))
        for made in book["cells"][3:5]:
            made["source"], made["cell_type"] = text, kind
        for made in book["cells"][5:7]:
            made["source"], made["cell_type"], made["metadata"], made["id"] = text, kind, {}, ""
        content = dump(book)
        began = time.process_time()
        keeps_promises(shapes, admitted(shapes, honest | {"shapes.ipynb": content}))
        assert time.process_time() - began < 3, repr(start + piece)
