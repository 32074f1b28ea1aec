"""Cells copied, split, retyped, moved, deleted, relabelled."""

import copy

from tests.builder import Notebook, cell
from tests.cases.corpus import GRADED, REPAIRED, REVIEW, Corpus, Sent, at, of
from tests.cases.course import ANSWERS

CASES = Corpus("structure")
STUB = (
    'def area(width, height):\n    """Area of a rectangle · 矩形面积."""\n'
    "    # YOUR CODE HERE\n    raise NotImplementedError()"
)


def code(text: str, cell_id: str) -> dict:
    return cell("code", text, cell_id)


def meta(book: Notebook, cell_id: str) -> dict:
    return of(book, cell_id)["metadata"]["nbgrader"]


@CASES.edit(GRADED)
def nothing_changed(book):
    pass


@CASES.edit(REPAIRED, "total: 2 cells with this id; all are run")
def solution_split_in_two(book):
    i = at(book, "total")
    first, second = copy.deepcopy(book["cells"][i]), copy.deepcopy(book["cells"][i])
    lines = ANSWERS["total"].split("\n")
    first["source"], second["source"], second["id"] = "\n".join(lines[:2]), "\n".join(lines[2:]), "split2"
    book["cells"][i : i + 1] = [first, second]


@CASES.edit(REPAIRED, "total: 3 cells with this id")
def solution_split_in_three_around_a_plain_cell(book):
    i = at(book, "total")
    pieces = [copy.deepcopy(book["cells"][i]) for _ in range(3)]
    texts = ["sides = [(1, 2)]", "total = 0\nsides.append(extra)", "total = sum(area(*s) for s in sides)"]
    for k, (piece, text) in enumerate(zip(pieces, texts, strict=True)):
        piece["source"], piece["id"] = text, f"piece{k}"
    book["cells"][i : i + 1] = [pieces[0], code("extra = (3, 4)", "own"), *pieces[1:]]


@CASES.edit(REPAIRED, "area: 2 cells with this id; all are run")
def answer_copied_and_improved_below(book):
    i = at(book, "area")
    wrong = copy.deepcopy(book["cells"][i])
    wrong["source"], wrong["id"] = "def area(width, height):\n    return width + height", "first-try"
    book["cells"].insert(i, wrong)


@CASES.edit(
    REPAIRED, "area: 2 cells with this id; all are run", loses=("area-test", "area-kind-test", "total-test")
)
def answer_copied_and_spoiled_below(book):
    i = at(book, "area")
    wrong = copy.deepcopy(book["cells"][i])
    wrong["source"], wrong["id"] = "def area(width, height):\n    return width + height + 100", "second-try"
    book["cells"].insert(i + 1, wrong)


@CASES.edit(REPAIRED, "area: 2 cells with this id; the one with work in it is used")
def stub_copied_below_the_answer(book):
    i = at(book, "area")
    stub = copy.deepcopy(book["cells"][i])
    stub["source"], stub["id"] = STUB, "spare-stub"
    book["cells"].insert(i + 1, stub)


@CASES.edit(REPAIRED, "why: 2 cells with this id")
def written_answer_in_two_cells(book):
    i = at(book, "why")
    second = copy.deepcopy(book["cells"][i])
    second["id"], second["source"] = "why2", "And each row has as many squares as the width."
    book["cells"].insert(i + 1, second)


@CASES.edit(REPAIRED, "area-test: 2 copies")
def test_cell_duplicated(book):
    i = at(book, "area-test")
    book["cells"].insert(i + 1, {**copy.deepcopy(book["cells"][i]), "id": "copy-of-test"})


@CASES.edit(REPAIRED, "area-test: 2 copies")
def test_cell_duplicated_and_changed(book):
    i = at(book, "area-test")
    changed = {**copy.deepcopy(book["cells"][i]), "id": "mine", "source": "assert area(1, 1) == 1"}
    book["cells"].insert(i, changed)


@CASES.edit(REPAIRED, "kind: 2 copies")
def locked_cell_duplicated(book):
    i = at(book, "kind")
    book["cells"].insert(i + 1, {**copy.deepcopy(book["cells"][i]), "id": "kind2"})


@CASES.edit(GRADED)
def given_cell_duplicated(book):
    book["cells"].insert(3, {**copy.deepcopy(of(book, "setup")), "id": "setup2"})


@CASES.edit(REPAIRED, "nbgrader metadata of version 1 in area")
def schema_version_1_in_one_cell(book):
    meta(book, "area")["schema_version"] = 1


@CASES.edit(REPAIRED, "nbgrader metadata of version 4 in area-test")
def schema_version_4_in_one_cell(book):
    meta(book, "area-test")["schema_version"] = 4


@CASES.edit(REPAIRED, "nbgrader metadata of version 'three' in total")
def schema_version_is_a_word(book):
    meta(book, "total")["schema_version"] = "three"


@CASES.edit(REPAIRED, "nbgrader metadata of version 0 in area-test")
def schema_version_missing_in_one_cell(book):
    del meta(book, "area-test")["schema_version"]


@CASES.edit(GRADED)
def schema_version_1_everywhere(book):
    for made in book["cells"]:
        if "nbgrader" in made["metadata"]:
            made["metadata"]["nbgrader"]["schema_version"] = 1
            made["metadata"]["nbgrader"].pop("task")


@CASES.edit(REPAIRED, "area: a code cell was turned into markdown")
def solution_turned_into_markdown(book):
    made = of(book, "area")
    made["cell_type"] = "markdown"
    del made["outputs"], made["execution_count"]


@CASES.edit(REPAIRED, "area: a code cell was turned into raw")
def solution_turned_into_raw(book):
    of(book, "area")["cell_type"] = "raw"


@CASES.edit(REPAIRED, "area: the ``` fence")
def solution_turned_into_fenced_markdown(book):
    made = of(book, "area")
    made["cell_type"], made["source"] = "markdown", f"```python\n{ANSWERS['area']}\n```"


@CASES.edit(REPAIRED, "why: a markdown cell was turned into code")
def written_answer_turned_into_code(book):
    of(book, "why").update(cell_type="code", outputs=[], execution_count=None)


@CASES.edit(REPAIRED, "setup: a code cell was turned into markdown")
def unchanged_setup_turned_into_markdown(book):
    of(book, "setup")["cell_type"] = "markdown"


@CASES.edit(GRADED)
def demo_switched_off_by_making_it_raw_and_empty(book):
    of(book, "demo").update(cell_type="code", source="# not needed")


@CASES.edit(REPAIRED, "total-test: missing; put back")
def test_deleted(book):
    del book["cells"][at(book, "total-test")]


@CASES.edit(REPAIRED, "total-test: missing; put back")
def all_tests_deleted(book):
    book["cells"] = [
        c for c in book["cells"] if not c["metadata"].get("nbgrader", {}).get("grade") or c["id"] == "why"
    ]


@CASES.edit(REPAIRED, "setup: missing; put back")
def setup_deleted(book):
    del book["cells"][at(book, "setup")]


@CASES.edit(REPAIRED, "setup: missing; put back")
def setup_deleted_and_constant_set_by_the_student(book):
    book["cells"][at(book, "setup")] = code("LIMIT = 5 + 5", "my-setup")


@CASES.edit(REPAIRED, "kind: missing; put back")
def locked_given_cell_deleted(book):
    del book["cells"][at(book, "kind")]


@CASES.edit(GRADED)
def prose_deleted(book):
    book["cells"] = [c for c in book["cells"] if c["cell_type"] != "markdown" or "nbgrader" in c["metadata"]]


@CASES.edit(GRADED)
def prose_rewritten(book):
    of(book, "title")["source"] = "# My homework"


@CASES.edit(REPAIRED, "draw: missing; put back")
def task_deleted(book):
    del book["cells"][at(book, "draw")]


@CASES.edit(GRADED)
def task_answered_in_own_cells(book):
    book["cells"] += [code("print('##\\n##')", "drawing"), cell("markdown", "A square.", "caption")]


@CASES.edit(REPAIRED, "total: the answer cell is missing and was not found", loses=("total-test",))
def answer_deleted(book):
    del book["cells"][at(book, "total")]


@CASES.edit(REPAIRED, "area: the answer cell is missing and was not found")
def answer_retyped_inside_a_block_above(book):
    del book["cells"][at(book, "area")]
    text = "if True:\n    def area(width, height):\n        return width * height"
    book["cells"].insert(at(book, "about-area"), code(text, "indented"))


@CASES.edit(REPAIRED, "its grade_id was renamed to 'area-test-x'")
def test_grade_id_renamed(book):
    meta(book, "area-test")["grade_id"] = "area-test-x"


@CASES.edit(REPAIRED, "its grade_id was renamed to 'area2'")
def answer_grade_id_renamed_and_cell_id_changed(book):
    meta(book, "area")["grade_id"] = "area2"


@CASES.edit(REPAIRED, "area: its nbgrader metadata is missing; the answer was found in a plain cell")
def answer_relabelled_in_every_way(book):
    made = of(book, "area")
    made["metadata"]["nbgrader"]["grade_id"], made["id"] = "answer-1", "0f3c"


@CASES.edit(REPAIRED, "area-test: its nbgrader metadata is missing; matched by its text")
def test_relabelled_in_every_way(book):
    made = of(book, "area-test")
    made["metadata"]["nbgrader"]["grade_id"], made["id"] = "T1", "0f3d"


@CASES.edit(REPAIRED, "grade changed in area-test")
def test_grade_false(book):
    meta(book, "area-test")["grade"] = False


@CASES.edit(REPAIRED, "solution changed in area-test")
def test_solution_true(book):
    meta(book, "area-test")["solution"] = True


@CASES.edit(REPAIRED, "locked changed in kind")
def locked_cell_unlocked(book):
    meta(book, "kind")["locked"] = False


@CASES.edit(REPAIRED, "solution changed in area")
def answer_made_a_test(book):
    meta(book, "area").update(solution=False, grade=True, points=5)


@CASES.edit(GRADED, "area-test: says 100 points")
def points_set_to_100(book):
    meta(book, "area-test")["points"] = 100


@CASES.edit(GRADED, "area-test: says 'all of them' points")
def points_are_a_word(book):
    meta(book, "area-test")["points"] = "all of them"


@CASES.edit(GRADED, "area-test: says True points")
def points_are_true(book):
    meta(book, "area-test")["points"] = True


@CASES.edit(REPAIRED, "area-test: a locked cell was changed")
def test_body_replaced(book):
    of(book, "area-test")["source"] = "pass"


@CASES.edit(REPAIRED, "area-test: a locked cell was changed")
def test_commented_out(book):
    made = of(book, "area-test")
    made["source"] = "\n".join("# " + line for line in made["source"].split("\n"))


@CASES.edit(REPAIRED, "kind: a locked cell was changed")
def locked_given_cell_changed(book):
    of(book, "kind")["source"] = "def kind(size):\n    return 'small'\nLIMIT = 0"


@CASES.edit(GRADED)
def trailing_blanks_in_a_test(book):
    made = of(book, "area-test")
    made["source"] = made["source"].replace("\n", "  \n") + "\n\n"


@CASES.edit(REPAIRED, "area: its answer was written in the cell of area-test")
def answer_written_into_the_test_cell(book):
    of(book, "area-test")["source"] = ANSWERS["area"]
    del book["cells"][at(book, "area")]


@CASES.edit(REPAIRED, "area: its nbgrader metadata is missing; the answer was found in a plain cell")
def answer_retyped_in_a_plain_cell(book):
    book["cells"][at(book, "area")] = code(ANSWERS["area"], "retyped")


@CASES.edit(REPAIRED, "the answer was found in a plain cell")
def answer_retyped_at_the_end(book):
    del book["cells"][at(book, "area")]
    book["cells"].append(code(ANSWERS["area"], "retyped"))


@CASES.edit(REPAIRED, "the answer was found in a plain cell")
def answer_and_its_helper_retyped_at_the_end(book):
    del book["cells"][at(book, "area")]
    helper = code("def times(a, b):\n    return a * b", "helper")
    book["cells"] += [helper, code("def area(width, height):\n    return times(width, height)", "retyped")]


@CASES.edit(REPAIRED, "the answer was found in a plain cell")
def answer_retyped_as_a_lambda(book):
    book["cells"][at(book, "area")] = code("area = lambda width, height: width * height", "retyped")


@CASES.edit(REPAIRED, "the answer was found in a plain cell")
def variable_answer_retyped(book):
    book["cells"][at(book, "total")] = code("sides = (1, 2), (3, 4)\ntotal = 14", "retyped")


@CASES.edit(GRADED)
def stub_left_and_answer_in_the_next_cell(book):
    of(book, "area")["source"] = STUB
    book["cells"].insert(at(book, "area") + 1, code(ANSWERS["area"], "below"))


@CASES.edit(REPAIRED, "area: untouched; the answer in a cell of the student's own is used")
def stub_left_and_answer_at_the_end(book):
    of(book, "area")["source"] = STUB
    book["cells"].append(code(ANSWERS["area"], "far-below"))


@CASES.edit(REPAIRED, "why: untouched; the answer in a cell of the student's own is used")
def written_answer_below_its_cell(book):
    of(book, "why")["source"] = "YOUR ANSWER HERE"
    book["cells"].insert(at(book, "why") + 1, cell("markdown", ANSWERS["why"], "below"))


@CASES.edit(REPAIRED, "why: its nbgrader metadata is missing; the only text cell in its place")
def written_answer_retyped(book):
    book["cells"][at(book, "why")] = cell("markdown", ANSWERS["why"], "retyped")


@CASES.edit(REPAIRED, "put back into the source's order")
def tests_moved_before_answers(book):
    test = book["cells"].pop(at(book, "area-test"))
    book["cells"].insert(at(book, "area"), test)


@CASES.edit(REPAIRED, "put back into the source's order")
def cells_in_reverse_order(book):
    book["cells"].reverse()


@CASES.edit(REPAIRED, "put back into the source's order")
def setup_moved_to_the_end(book):
    book["cells"].append(book["cells"].pop(at(book, "setup")))


@CASES.edit(REPAIRED, "put back into the source's order")
def answers_moved_to_the_end(book):
    for name in ("area", "total"):
        book["cells"].append(book["cells"].pop(at(book, name)))


@CASES.edit(REPAIRED, "its answer was written in the cell of")
def ids_of_two_answers_swapped(book):
    first, second = of(book, "area"), of(book, "total")
    first["metadata"], second["metadata"] = second["metadata"], first["metadata"]
    first["id"], second["id"] = second["id"], first["id"]


@CASES.edit(REPAIRED, "total: its answer is in the cell of area")
def two_answers_merged_into_one_cell(book):
    of(book, "area")["source"] = f"{ANSWERS['area']}\n\n{ANSWERS['total']}"
    del book["cells"][at(book, "total")]


@CASES.edit(REPAIRED, "area: its answer is in the cell of total")
def two_answers_merged_into_the_later_cell(book):
    of(book, "total")["source"] = f"{ANSWERS['area']}\n\n{ANSWERS['total']}"
    del book["cells"][at(book, "area")]


@CASES.edit(REPAIRED, "area: its answer is in the cell of setup")
def answer_written_into_the_setup_cell_and_stub_left(book):
    of(book, "setup")["source"] += "\n\n" + ANSWERS["area"]
    of(book, "area")["source"] = STUB


@CASES.edit(REPAIRED, "area: untouched; the answer in a cell of the student's own is used")
def answer_typed_above_its_stub(book):
    of(book, "area")["source"] = STUB
    book["cells"].insert(at(book, "area"), code(ANSWERS["area"], "above"))


@CASES.edit(REPAIRED, "area-test: missing; put back")
def answer_and_test_merged(book):
    of(book, "area")["source"] += "\n\nassert area(2, 3) == 6"
    del book["cells"][at(book, "area-test")]


@CASES.edit(GRADED)
def own_cells_between(book):
    book["cells"].insert(at(book, "area"), code("def times(a, b):\n    return a * b", "own1"))
    of(book, "area")["source"] = "def area(width, height):\n    return times(width, height)"
    book["cells"].insert(at(book, "area-test"), code("check = area(5, 5)", "own2"))
    book["cells"].append(cell("markdown", "Done.", "own3"))


@CASES.edit(GRADED)
def two_hundred_own_cells(book):
    i = at(book, "total")
    book["cells"][i:i] = [code(f"x{k} = {k}", f"own-{k}") for k in range(200)]


@CASES.edit(GRADED)
def own_cell_has_the_id_of_another(book):
    book["cells"].append(code("spare = 1", "area"))


@CASES.edit(GRADED)
def no_cell_ids_and_given_cells_edited(book):
    of(book, "setup")["source"] += "\nimport random  # I need this later"
    of(book, "demo")["source"] = of(book, "demo")["source"].replace("2, 3", "4, 5")
    no_cell_ids(book)


@CASES.edit(REPAIRED, "area-test: missing; put back")
def answer_below_its_stub_and_test_deleted(book):
    of(book, "area")["source"] = STUB
    book["cells"][at(book, "area-test")] = code(ANSWERS["area"], "instead-of-the-test")


@CASES.edit(GRADED)
def no_cell_ids(book):
    book["nbformat_minor"] = 4
    for made in book["cells"]:
        del made["id"]


@CASES.edit(GRADED)
def all_cells_share_one_id(book):
    for made in book["cells"]:
        made["id"] = "same"


@CASES.edit(GRADED)
def ids_are_numbers(book):
    for k, made in enumerate(book["cells"]):
        made["id"] = k


@CASES.edit(REPAIRED, "its grade_id was lost")
def nbgrader_metadata_stripped(book):
    for made in book["cells"]:
        made["metadata"] = {}


@CASES.edit(REPAIRED, "its nbgrader metadata is missing")
def nbgrader_metadata_and_ids_stripped(book):
    for made in book["cells"]:
        made["metadata"] = {}
        del made["id"]


@CASES.edit(REPAIRED, "its nbgrader metadata is missing")
def retyped_from_scratch_without_tests(book):
    book["cells"] = [
        code(ANSWERS["area"], "a"),
        code(ANSWERS["total"], "b"),
        cell("markdown", ANSWERS["why"], "c"),
    ]


@CASES.edit(REPAIRED, "its nbgrader metadata is missing")
def everything_in_one_cell(book):
    book["cells"] = [code(f"import math\nLIMIT = 10\n{ANSWERS['area']}\n{ANSWERS['total']}", "all")]


@CASES.edit(REVIEW, "holds unresolved merge markers")
def merge_markers_in_an_answer(book):
    text = "<<<<<<< HEAD\n    return width * height\n=======\n    return height * width\n>>>>>>> mine"
    of(book, "area")["source"] = "def area(width, height):\n" + text


@CASES.edit(GRADED)
def heredoc_that_looks_like_a_merge_marker(book):
    of(book, "area")["source"] += "\n# =======\n# <<<<<<< arrows in a comment"


@CASES.edit(REVIEW, "area: the cell's text is not stored as text")
def answer_text_is_a_number(book):
    of(book, "area")["source"] = 42


@CASES.edit(REVIEW, "area: the cell's text is not stored as text")
def answer_text_is_null(book):
    of(book, "area")["source"] = None


@CASES.edit(REVIEW, "area: the cell's text is not stored as text")
def answer_text_is_missing(book):
    del of(book, "area")["source"]


@CASES.edit(GRADED, loses=("area-test", "area-kind-test", "total-test"))
def answer_emptied(book):
    of(book, "area")["source"] = ""


@CASES.edit(REPAIRED, "area: untouched; the answer in a cell of the student's own is used")
def stub_left_with_a_comment_and_answer_at_the_end(book):
    of(book, "area")["source"] = STUB.replace("    raise", "    # 我的答案在最后 · see the end\n    raise")
    book["cells"].append(code(ANSWERS["area"], "far-below"))


@CASES.edit(GRADED, loses=("total-test",))
def scratch_variable_with_the_name_of_another_answer(book):
    of(book, "area")["source"] += "\n\ntotal = 0"
    of(book, "total")["source"] = "# YOUR CODE HERE\nraise NotImplementedError()"


@CASES.edit(GRADED)
def prose_moved(book):
    book["cells"].append(book["cells"].pop(at(book, "about-area")))


@CASES.edit(REVIEW, "area: the cell's text is not stored as text")
def answer_text_is_a_list_with_numbers(book):
    of(book, "area")["source"] = ["def area(w, h):\n", 7, "    return w * h"]


@CASES.edit(GRADED)
def grade_ids_of_own_cells_unknown(book):
    own = code("y = 1", "own")
    own["metadata"]["nbgrader"] = {"grade_id": "no-such-cell", "grade": True, "points": 50, "solution": False}
    book["cells"].append(own)


@CASES.edit(GRADED)
def nbgrader_metadata_of_wrong_types(book):
    for name, value in (("setup", []), ("demo", "yes"), ("title", 3)):
        of(book, name)["metadata"]["nbgrader"] = value
    of(book, "about-area")["metadata"] = "none"


@CASES.edit(REPAIRED, "its grade_id was lost")
def grade_id_is_a_list(book):
    meta(book, "area")["grade_id"] = ["area"]


@CASES.edit(GRADED)
def own_cell_claims_to_be_locked(book):
    own = code("z = 1", "own")
    own["metadata"] = {"nbgrader": {"locked": True, "grade_id": "z", "schema_version": 3}, "editable": False}
    book["cells"].insert(2, own)


@CASES.case(REPAIRED, "words.ipynb: greet: its nbgrader metadata is missing")
def cells_of_one_notebook_pasted_into_the_other(sent: Sent):
    shapes, words = sent.book(), sent.book("words")
    pasted = words["cells"].pop(at(words, "greet"))
    shapes["cells"].append(copy.deepcopy(pasted))
    words["cells"].insert(2, code(pasted["source"], "typed-again"))
    sent.put(shapes)
    sent.put(words, "words")
