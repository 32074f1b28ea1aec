"""Loading assignments of any nbgrader course."""

import copy
import json
from pathlib import Path

import pytest

from autograde.course import Assignment, Role, load_assignment
from autograde.errors import CourseError
from tests.builder import (
    answer,
    cell,
    check,
    given,
    notebook,
    prose,
    task,
    write_files,
    write_source,
)
from tests.cases.course import ASSIGNMENT, write_course

SOLUTION = "### BEGIN SOLUTION\nx = 1\n### END SOLUTION"


def one(tmp_path: Path, *cells: dict, files: dict[str, bytes] | None = None) -> Path:
    return write_source(tmp_path, "a", {"book": notebook(cells)}, files)


def test_roles_points_and_releases(shapes: Assignment) -> None:
    cells = {cell.cell_id: cell for cell in shapes.notebooks[0].cells}
    assert [book.name for book in shapes.notebooks] == ["shapes", "words"]
    assert shapes.max_score == 11
    assert shapes.files == {"data.csv": b"a,b\n1,2\n"}
    expected = {
        "title": (Role.PROSE, 0, False, False),
        "setup": (Role.GIVEN, 0, False, False),
        "area": (Role.ANSWER, 0, False, False),
        "area-test": (Role.TEST, 2, False, True),
        "kind": (Role.GIVEN, 0, False, True),
        "why": (Role.GRADED_ANSWER, 3, True, False),
        "draw": (Role.TASK, 1, True, True),
    }
    for name, facts in expected.items():
        made = cells[name]
        assert (made.role, made.points, made.manual, made.locked) == facts, name
    assert cells["area-test"].released == "assert area(2, 3) == 6"
    assert "hidden" not in cells["area-test"].released.lower()
    assert "0.5" in cells["area-test"].source
    assert cells["area"].released.endswith("    # YOUR CODE HERE\n    raise NotImplementedError()")
    assert cells["why"].released == "YOUR ANSWER HERE"


def test_mark_schemes_are_not_released(tmp_path: Path) -> None:
    text = "Draw.\n### BEGIN MARK SCHEME\nOne point for a line.\n### END MARK SCHEME"
    (made,) = load_assignment(one(tmp_path, task("draw", 1, text)), "a").notebooks[0].cells
    assert made.released == "Draw."


def test_fingerprint_depends_on_what_a_grade_depends_on(tmp_path: Path) -> None:
    def of(root: str, change=lambda book: None, data: bytes = b"1") -> str:
        book = notebook([answer("x", SOLUTION), check("x-test", 1, "assert x == 1")])
        change(book)
        return load_assignment(
            write_source(tmp_path / root, "a", {"book": book}, {"d": data}), "a"
        ).fingerprint

    def run(book: dict) -> None:
        book["cells"][0].update(execution_count=3, outputs=[])
        book["metadata"]["widgets"] = {}

    def points(book: dict) -> None:
        book["cells"][1]["metadata"]["nbgrader"]["points"] = 2

    def test(book: dict) -> None:
        book["cells"][1]["source"] = "assert x == 2"

    first = of("1")
    assert of("2") == first
    assert of("3", run) == first
    assert len({first, of("4", points), of("5", test), of("6", data=b"2")}) == 4


def test_old_metadata_is_upgraded(tmp_path: Path) -> None:
    cells = [answer("x", SOLUTION), check("x-test", 1, "assert x == 1"), given("g", "1")]
    for made in cells[:2]:
        made["metadata"]["nbgrader"].pop("task")
        made["metadata"]["nbgrader"]["schema_version"] = 1
    cells[2]["metadata"]["nbgrader"] = {"grade": False, "solution": False, "locked": False, "points": ""}
    book = load_assignment(one(tmp_path, *cells), "a").notebooks[0]
    assert [made.role for made in book.cells] == [Role.ANSWER, Role.TEST, Role.GIVEN]
    assert book.cells[1].metadata["nbgrader"]["schema_version"] == 3
    assert book.cells[2].grade_id is None


def test_old_nbformat_has_made_up_ids(tmp_path: Path) -> None:
    book = notebook([given("g", "1"), prose("p", "text")]) | {"nbformat_minor": 4}
    for made in book["cells"]:
        del made["id"]
    loaded = load_assignment(write_source(tmp_path, "a", {"book": book}), "a").notebooks[0]
    assert [(made.cell_id, made.own_id) for made in loaded.cells] == [
        ("source-0", False),
        ("source-1", False),
    ]


def test_nbformat_3(tmp_path: Path) -> None:
    sheet = {
        "cells": [{"cell_type": "code", "input": ["a = 1\n", "b = 2"], "outputs": [], "language": "python"}]
    }
    book = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [sheet]}
    loaded = load_assignment(write_source(tmp_path, "a", {"book": book}), "a").notebooks[0]
    assert [(made.role, made.source) for made in loaded.cells] == [(Role.GIVEN, "a = 1\nb = 2")]


def test_files_beside_the_notebooks(tmp_path: Path) -> None:
    files = {
        "d/data.csv": b"1",
        "helper.py": b"2",
        "__pycache__/h.pyc": b"3",
        ".ipynb_checkpoints/b.ipynb": b"4",
    }
    assignment = load_assignment(one(tmp_path, given("g", "1"), files=files), "a")
    assert assignment.files == {"d/data.csv": b"1", "helper.py": b"2"}


CONFIG = """
from nbgrader.converters.generate_assignment import GenerateAssignment
from nbgrader.preprocessors import NbGraderPreprocessor, IncludeHeaderFooter

class DropEnglish(NbGraderPreprocessor):
    def preprocess(self, nb, resources):
        nb.cells = [cell for cell in nb.cells if not {"en", "solution"} & set(cell.metadata.get("tags", []))]
        return nb, resources

c = get_config()
c.GenerateAssignment.preprocessors = [DropEnglish, *GenerateAssignment.preprocessors.default()]
c.ClearSolutions.begin_solution_delimeter = "<<<"
c.ClearSolutions.end_solution_delimeter = ">>>"
c.ClearSolutions.code_stub = {"python": "pass  # yours"}
c.ClearHiddenTests.begin_test_delimeter = "HIDE"
c.ClearHiddenTests.end_test_delimeter = "SHOW"
c.IncludeHeaderFooter.header = "header.ipynb"
c.CourseDirectory.source_directory = "masters"
"""


def test_the_courses_own_configuration_counts(tmp_path: Path) -> None:
    tagged = given("extra", "print('for instructors')")
    tagged["metadata"]["tags"] = ["solution"]
    english = prose("en", "English")
    english["metadata"]["tags"] = ["en"]
    cells = [
        english,
        tagged,
        answer("x", "# <<<\nx = 1\n# >>>"),
        check("t", 1, "assert x\n# HIDE\n1/0\n# SHOW"),
    ]
    one(tmp_path, *cells)
    (tmp_path / "source").rename(tmp_path / "masters")
    write_files(
        tmp_path,
        {
            "nbgrader_config.py": CONFIG.encode(),
            "header.ipynb": json.dumps(notebook([given("head", "import os")])).encode(),
        },
    )
    made = {cell.cell_id: cell for cell in load_assignment(tmp_path, "a").notebooks[0].cells}
    assert list(made) == ["head", "en", "extra", "x", "t"]
    assert {name: cell.in_release for name, cell in made.items() if not cell.in_release} == {
        "en": False,
        "extra": False,
    }
    assert made["x"].released == "pass  # yours"
    assert made["t"].released == "assert x"


def test_autotests_are_read_where_nbgrader_wrote_them_out(tmp_path: Path) -> None:
    one(tmp_path, check("t", 1, "### AUTOTEST x"))
    with pytest.raises(CourseError, match="generate_assignment a --source_with_tests"):
        load_assignment(tmp_path, "a")
    expanded = notebook([check("t", 1, "assert x == 1")])
    write_files(tmp_path / "source_with_tests" / "a", {"book.ipynb": json.dumps(expanded).encode()})
    assert load_assignment(tmp_path, "a").notebooks[0].cells[0].source == "assert x == 1"


def duplicated() -> list[dict]:
    return [given("g", "1"), check("t", 1, "1"), {**copy.deepcopy(check("t", 1, "2")), "id": "u"}]


def r_notebook() -> dict:
    book = notebook([given("g", "1")])
    book["metadata"] = {"kernelspec": {"language": "R", "name": "ir"}}
    return book


BROKEN = {
    "grade ids twice": (json.dumps(notebook(duplicated())), "Duplicate grade id: t"),
    "no JSON": ("{", "is not valid JSON"),
    "no notebook": ("[]", "has no nbformat number"),
    "from the future": (json.dumps(notebook([]) | {"nbformat": 5}), "nbformat 5"),
    "no cells": ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "not a usable notebook"),
    "other language": (json.dumps(r_notebook()), "written in R"),
    "open solution": (json.dumps(notebook([answer("x", "### BEGIN SOLUTION\n1")])), "no end solution"),
    "open hidden test": (json.dumps(notebook([check("x", 1, "### BEGIN HIDDEN TESTS\n1")])), "hidden tests"),
    "solution in a plain cell": (
        json.dumps(notebook([given("x", SOLUTION)])),
        "ClearSolutions: Solution region",
    ),
    "no grade id": (
        json.dumps(notebook([cell("code", "1", "x", {"solution": True, "grade_id": ""})])),
        "grade_id",
    ),
    "markdown that is no answer": (
        json.dumps(notebook([cell("markdown", "1", "x", {"grade": True, "points": 1})])),
        "not marked as a solution",
    ),
    "points below zero": (json.dumps(notebook([check("x", -1, "1")])), "minimum"),
}


@pytest.mark.parametrize(("text", "says"), BROKEN.values(), ids=BROKEN)
def test_a_broken_source_is_refused_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    write_files(tmp_path / "source" / "a", {"book.ipynb": text.encode()})
    with pytest.raises(CourseError, match=says) as caught:
        load_assignment(tmp_path, "a")
    assert "book.ipynb" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_things_are_named(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="no course folder"):
        load_assignment(tmp_path / "nowhere", ASSIGNMENT)
    with pytest.raises(CourseError, match="has no assignment"):
        load_assignment(tmp_path, ASSIGNMENT)
    write_course(tmp_path)
    with pytest.raises(CourseError, match=r"no assignment 'shape' under .*there are: shapes"):
        load_assignment(tmp_path, "shape")
    with pytest.raises(CourseError, match="no assignment ''"):
        load_assignment(tmp_path, "")
    (tmp_path / "source" / "empty").mkdir()
    with pytest.raises(CourseError, match="holds no notebook"):
        load_assignment(tmp_path, "empty")


@pytest.mark.parametrize("text", ["1/0", "raise SystemExit(3)", "c = "])
def test_a_broken_configuration_is_named(tmp_path: Path, text: str) -> None:
    write_course(tmp_path)
    (tmp_path / "nbgrader_config.py").write_text(text)
    with pytest.raises(CourseError, match=r"nbgrader_config\.py cannot be executed"):
        load_assignment(tmp_path, ASSIGNMENT)


def test_a_missing_header_is_named(tmp_path: Path) -> None:
    write_course(tmp_path)
    (tmp_path / "nbgrader_config.py").write_text("get_config().IncludeHeaderFooter.footer = 'foot.ipynb'")
    with pytest.raises(CourseError, match=r"foot\.ipynb"):
        load_assignment(tmp_path, ASSIGNMENT)
