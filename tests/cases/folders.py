"""The right notebook under another name, in another place, beside other things, or not at all."""

import copy
import json

from tests.builder import cell, dump, notebook
from tests.cases.corpus import GRADED, REPAIRED, REVIEW, Corpus, at, of
from tests.cases.course import ANSWERS
from tests.cases.structure import STUB

CASES = Corpus("folder")


def renamed(new: str):
    def change(sent):
        sent.rename(new)

    return change


for name, new in {
    "name_with_number": "shapes (1).ipynb",
    "name_with_copy": "shapes-Copy1.ipynb",
    "name_with_copy_in_chinese": "shapes - 副本.ipynb",
    "extension_in_capitals": "shapes.IPYNB",
    "name_in_capitals": "SHAPES.ipynb",
    "extension_twice": "shapes.ipynb.ipynb",
    "extension_txt": "shapes.ipynb.txt",
    "extension_json": "shapes.ipynb.json",
    "in_a_subfolder": "homework/shapes.ipynb",
    "in_a_deep_subfolder": "a/b/c/shapes (2).ipynb",
    "student_in_the_name": "shapes_student-7_final.ipynb",
    "name_is_something_else": "homework 3.ipynb",
    "name_is_chinese": "作业三.ipynb",
    "name_with_line_of_unicode": "ｓｈａｐｅｓ.ipynb",
    "name_untitled": "Untitled.ipynb",
    "name_ends_with_a_blank": "shapes.ipynb ",
}.items():
    change = renamed(new)
    change.__name__ = name
    CASES.case(REPAIRED, "shapes.ipynb: sent as")(change)


@CASES.case(REPAIRED, "shapes.ipynb: sent as 'Shapes.JSON'")
def only_json_extensions(sent):
    sent.rename("Shapes.JSON")
    sent.rename("words.json", "words")


@CASES.case(REPAIRED, "sent as 'words.ipynb'")
def names_swapped(sent):
    shapes, words = sent.bytes_of(), sent.bytes_of("words")
    sent.replace(words)
    sent.replace(shapes, "words")


@CASES.case(REPAIRED, "sent as 'words.ipynb'")
def names_swapped_and_ids_stripped(sent):
    for name in ("shapes", "words"):
        book = sent.book(name)
        for made in book["cells"]:
            made["metadata"] = {}
            del made["id"]
        sent.put(book, name)
    names_swapped(sent)


@CASES.case(REPAIRED, "sent as 'week 3/shapes.ipynb'")
def whole_folder_one_level_down(sent):
    for path in list(sent.files):
        sent.files[f"week 3/{path}"] = sent.files.pop(path)


@CASES.case(GRADED, "also sent and not graded: 'shapes-Copy1.ipynb'")
def copy_beside_the_right_name(sent):
    sent.files["shapes-Copy1.ipynb"] = sent.bytes_of()


@CASES.case(GRADED, "also sent and not graded: 'old/shapes.ipynb'")
def older_version_in_a_subfolder(sent):
    book = sent.book()
    of(book, "area")["source"] = "def area(w, h):\n    return 0"
    sent.files["old/shapes.ipynb"] = dump(book)


@CASES.case(REPAIRED, "shapes.ipynb is untouched; the work is in 'shapes-Copy1.ipynb'")
def work_in_the_copy_and_the_right_name_untouched(sent):
    sent.files["shapes-Copy1.ipynb"] = sent.bytes_of()
    sent.replace(untouched(sent.bytes_of()))


@CASES.case(REVIEW, "several files could be it")
def two_versions_and_no_right_name(sent):
    book = sent.book()
    of(book, "area")["source"] = "def area(w, h):\n    return 0"
    sent.files["shapes (1).ipynb"] = sent.bytes_of()
    sent.files["shapes (2).ipynb"] = dump(book)
    del sent.files["shapes.ipynb"]


@CASES.case(REPAIRED, "sent as 'shapes (1).ipynb', 'shapes (2).ipynb'")
def two_equal_copies_and_no_right_name(sent):
    sent.files["shapes (1).ipynb"] = sent.bytes_of()
    sent.rename("shapes (2).ipynb")


@CASES.case(REPAIRED, "sent as 'shapes (2).ipynb'")
def an_untouched_and_a_worked_copy(sent):
    sent.rename("shapes (2).ipynb")
    sent.files["shapes (1).ipynb"] = untouched(sent.files["shapes (2).ipynb"])


def untouched(content: bytes) -> bytes:
    book = json.loads(content)
    of(book, "area")["source"] = STUB
    of(book, "total")["source"] = "# YOUR CODE HERE\nraise NotImplementedError()"
    of(book, "why")["source"] = "YOUR ANSWER HERE"
    return dump(book)


@CASES.case(REVIEW, "the file ends in the middle")
def truncated_beside_a_readable_copy(sent):
    sent.files["shapes-Copy1.ipynb"] = sent.bytes_of()
    sent.replace(sent.bytes_of()[:500])


@CASES.case(GRADED, "words.ipynb: not sent; its tests earn nothing", loses=("greet-test",))
def one_notebook_not_sent(sent):
    del sent.files["words.ipynb"]


@CASES.case(REVIEW, "not sent, and nothing that could be it")
def nothing_sent(sent):
    sent.files.clear()


@CASES.case(REVIEW, "not a notebook")
def scripts_instead_of_notebooks(sent):
    sent.files = {"shapes.py": ANSWERS["area"].encode(), "words.py": ANSWERS["greet"].encode()}


@CASES.case(REVIEW, "'shapes.html': not a notebook")
def page_instead_of_one_notebook(sent):
    del sent.files["shapes.ipynb"]
    sent.files["shapes.html"] = b"<html>exported</html>"


@CASES.case(REVIEW, "an archive; unpack it")
def archive_instead_of_notebooks(sent):
    sent.files = {"homework.zip": b"PK\x03\x04..."}


@CASES.case(REVIEW, "only Jupyter's checkpoint of it was sent")
def only_a_checkpoint(sent):
    sent.rename(".ipynb_checkpoints/shapes-checkpoint.ipynb")


@CASES.case(GRADED)
def checkpoints_ignored(sent):
    sent.files[".ipynb_checkpoints/shapes-checkpoint.ipynb"] = b"{}"


@CASES.case(GRADED)
def resource_forks_ignored(sent):
    sent.files["._shapes.ipynb"] = b"\0\5\x16\7Mac OS X"


@CASES.case(REVIEW, "holds none of its cells")
def notebook_of_another_assignment(sent):
    del sent.files["shapes.ipynb"]
    other = notebook([cell("code", "print('other')", "other-1", {"grade_id": "q1", "solution": True})])
    sent.files["physics.ipynb"] = dump(other)


@CASES.case(REVIEW, "is it another notebook?")
def another_notebook_under_the_right_name(sent):
    other = notebook([cell("code", "print('other')", "other-1", {"grade_id": "q1", "solution": True})])
    sent.replace(dump(other))


@CASES.case(REVIEW, "holds cells of it")
def everything_pasted_into_one_notebook(sent):
    shapes, words = sent.book(), sent.book("words")
    shapes["cells"] += copy.deepcopy(words["cells"])
    sent.put(shapes)
    del sent.files["words.ipynb"]


@CASES.case(REVIEW, "larger than 64 MiB")
def too_large(sent):
    del sent.files["shapes.ipynb"]
    sent.refused["shapes.ipynb"] = "it is larger than 64 MiB"


@CASES.case(REVIEW, "symbolic link")
def symbolic_link(sent):
    del sent.files["shapes.ipynb"]
    sent.refused["shapes.ipynb"] = "it is a symbolic link"


@CASES.case(GRADED, "movie.mp4: not read; it is larger than 64 MiB")
def large_file_beside_the_notebooks(sent):
    sent.refused["movie.mp4"] = "it is larger than 64 MiB"


@CASES.case(GRADED, "timestamp.txt does not hold a date")
def timestamp_that_is_no_date(sent):
    sent.timestamp_problem = "timestamp.txt does not hold a date: 'yesterday'"


@CASES.case(GRADED, "data.csv: replaced by the assignment's own file")
def data_file_changed(sent):
    sent.files["data.csv"] = b"a,b\n9,9\n"


@CASES.case(GRADED)
def own_files_beside_the_notebooks(sent):
    sent.files |= {"notes.txt": b"n", "helper.py": b"x = 1\n", "pics/a.png": b"\x89PNG"}


@CASES.case(GRADED)
def fifty_other_notebooks(sent):
    other = dump(notebook([cell("code", "1", "c")]))
    sent.files |= {f"scratch {k}.ipynb": other for k in range(50)}


@CASES.case(REPAIRED, "sent as")
def notebook_with_a_name_of_odd_characters(sent):
    sent.rename("sh\u202eapes\u200b.ipynb")


@CASES.case(GRADED)
def own_cell_with_a_windows_path(sent):
    book = sent.book()
    book["cells"].insert(at(book, "total"), cell("code", r"path = 'C:\new\users'", "win"))
    sent.put(book)
