"""The same notebook in other encodings, formats and states of damage."""

import codecs
import gzip
import io
import json
import zipfile

from tests.builder import dump
from tests.cases.corpus import GRADED, REPAIRED, REVIEW, Corpus, Sent, at, of
from tests.cases.course import ANSWERS

CASES = Corpus("format")


def text_of(sent: Sent) -> str:
    return sent.bytes_of().decode()


@CASES.case(REPAIRED, "byte order mark removed")
def utf8_with_bom(sent):
    sent.replace(codecs.BOM_UTF8 + sent.bytes_of())


@CASES.case(REPAIRED, "byte order mark removed")
def utf8_with_two_boms(sent):
    sent.replace(codecs.BOM_UTF8 * 2 + sent.bytes_of())


@CASES.case(REPAIRED, "read as utf-16")
def utf16_with_bom(sent):
    sent.replace(text_of(sent).encode("utf-16"))


@CASES.case(REPAIRED, "read as utf-16-le")
def utf16_without_bom(sent):
    sent.replace(text_of(sent).encode("utf-16-le"))


@CASES.case(REPAIRED, "read as utf-16-be")
def utf16_big_endian(sent):
    sent.replace(codecs.BOM_UTF16_BE + text_of(sent).encode("utf-16-be"))


@CASES.case(REPAIRED, "read as utf-32-le")
def utf32(sent):
    sent.replace(text_of(sent).encode("utf-32"))


@CASES.case(REPAIRED, "read as utf-32-be")
def utf32_big_endian_without_bom(sent):
    sent.replace(text_of(sent).encode("utf-32-be"))


@CASES.case(REPAIRED, "read as Windows-1252")
def latin1(sent):
    book = sent.book()
    of(book, "area")["source"] = (
        "# aire d'un carré, déjà vu\ndef area(width, height):\n    return width * height"
    )
    of(book, "title")["source"] = "Größe"
    text = json.dumps(book, ensure_ascii=False)
    sent.replace(text.encode("latin-1", "replace"))


@CASES.case(REPAIRED, "read as GB18030")
def gbk(sent):
    sent.replace(text_of(sent).encode("gb18030"))


@CASES.case(REPAIRED, "read as GB18030")
def gbk_where_the_characters_count(sent):
    sent.replace(sent.bytes_of("words").decode().encode("gb18030"), "words")


@CASES.case(REPAIRED, "1 broken characters")
def one_broken_byte_in_a_comment(sent):
    sent.replace(sent.bytes_of().replace("因".encode(), "因".encode()[:2]))


@CASES.case(GRADED)
def ascii_escapes(sent):
    sent.replace(json.dumps(sent.book()).encode())


@CASES.case(GRADED)
def windows_line_ends(sent):
    sent.replace(sent.bytes_of().replace(b"\n", b"\r\n"))


@CASES.case(GRADED)
def windows_line_ends_inside_cells(sent):
    book = sent.book()
    for made in book["cells"]:
        made["source"] = made["source"].replace("\n", "\r\n")
    sent.put(book)


@CASES.case(GRADED)
def old_mac_line_ends_inside_cells(sent):
    book = sent.book()
    for made in book["cells"]:
        made["source"] = made["source"].replace("\n", "\r")
    sent.put(book)


@CASES.case(GRADED)
def sources_as_lists_of_lines(sent):
    book = sent.book()
    for made in book["cells"]:
        made["source"] = made["source"].splitlines(keepends=True)
    sent.put(book)


@CASES.case(REPAIRED, "cells stored as lines without line ends")
def sources_as_lists_without_line_ends(sent):
    book = sent.book()
    for made in book["cells"]:
        made["source"] = made["source"].splitlines()
    sent.put(book)


@CASES.case(REPAIRED, "converted from nbformat 3")
def nbformat_3(sent):
    book = sent.book()
    for made in book["cells"]:
        made.pop("id")
        if made["cell_type"] == "code":
            made["input"] = made.pop("source").splitlines(keepends=True)
            made["prompt_number"], made["language"] = made.pop("execution_count"), "python"
    book["worksheets"] = [{"cells": book.pop("cells"), "metadata": {}}]
    sent.put(book | {"nbformat": 3, "nbformat_minor": 0})


@CASES.case(REPAIRED, "converted from nbformat 3")
def nbformat_3_with_headings_and_two_worksheets(sent):
    book = sent.book()
    cells = book.pop("cells")
    for made in cells:
        if made["cell_type"] == "code":
            made["input"] = made.pop("source")
    cells[0] = {"cell_type": "heading", "level": 2, "source": "Shapes", "metadata": {}}
    book["worksheets"] = [{"cells": cells[:5]}, {"cells": cells[5:]}]
    sent.put(book | {"nbformat": 3})


@CASES.case(REPAIRED, "converted from nbformat 2")
def nbformat_2(sent):
    book = sent.book()
    cells = book.pop("cells")
    for made in cells:
        if made["cell_type"] == "code":
            made["input"] = made.pop("source")
    sent.put(book | {"nbformat": 2, "worksheets": [{"cells": cells}]})


@CASES.case(REPAIRED, "does not say its nbformat")
def nbformat_missing(sent):
    book = sent.book()
    del book["nbformat"], book["nbformat_minor"]
    sent.put(book)


@CASES.case(GRADED)
def nbformat_as_a_string(sent):
    sent.put(sent.book() | {"nbformat": "4"})


@CASES.case(GRADED)
def nbformat_as_a_float(sent):
    sent.put(sent.book() | {"nbformat": 4.0})


@CASES.case(GRADED)
def nbformat_minor_from_the_future(sent):
    sent.put(sent.book() | {"nbformat_minor": 99})


@CASES.case(REVIEW, "nbformat 5 is newer")
def nbformat_5(sent):
    sent.put(sent.book() | {"nbformat": 5})


@CASES.case(REVIEW, "nbformat 99999999999999999999 is newer")
def nbformat_is_huge(sent):
    sent.put(sent.book() | {"nbformat": 99999999999999999999})


@CASES.case(GRADED)
def metadata_missing_everywhere_but_nbgrader(sent):
    book = sent.book()
    del book["metadata"]
    for made in book["cells"]:
        if not made["metadata"]:
            del made["metadata"]
        made.pop("outputs", None)
        made.pop("execution_count", None)
    sent.put(book)


@CASES.case(GRADED)
def kernel_is_another_language(sent):
    book = sent.book()
    book["metadata"] = {"kernelspec": {"name": "ir", "display_name": "R", "language": "R"}}
    sent.put(book)


@CASES.case(GRADED)
def metadata_is_a_list(sent):
    sent.put(sent.book() | {"metadata": [1, 2]})


@CASES.case(GRADED)
def attachments_and_outputs_of_wrong_types(sent):
    book = sent.book()
    of(book, "title")["attachments"] = "no"
    of(book, "demo")["outputs"] = {"a": 1}
    of(book, "setup")["execution_count"] = "three"
    sent.put(book)


@CASES.case(GRADED)
def big_outputs(sent):
    book = sent.book()
    output = {"output_type": "stream", "name": "stdout", "text": "x" * 3_000_000}
    of(book, "demo")["outputs"] = [output]
    sent.put(book)


@CASES.case(REPAIRED, "entries that are no cells left out")
def cells_that_are_no_cells(sent):
    book = sent.book()
    book["cells"][2:2] = [None, 7, "text", []]
    sent.put(book)


@CASES.case(GRADED)
def own_cell_without_type_and_text(sent):
    book = sent.book()
    book["cells"].insert(1, {})
    book["cells"].insert(1, {"cell_type": "sql", "source": "select 1", "metadata": {}})
    sent.put(book)


@CASES.case(REPAIRED, "area: a code cell was turned into no type")
def cell_type_of_an_answer_unknown(sent):
    book = sent.book()
    of(book, "area")["cell_type"] = "python"
    del of(book, "area")["outputs"], of(book, "area")["execution_count"]
    sent.put(book)


@CASES.case(GRADED)
def cell_type_missing_everywhere(sent):
    book = sent.book()
    for made in book["cells"]:
        if made["cell_type"] == "code":
            del made["cell_type"]
    sent.put(book)


@CASES.case(REPAIRED, "raw control characters")
def raw_line_breaks_inside_strings(sent):
    sent.replace(sent.bytes_of().replace(b"\\n", b"\n"))


@CASES.case(GRADED)
def nan_and_infinity_in_metadata(sent):
    sent.put(sent.book() | {"metadata": {"a": float("nan"), "b": [float("inf"), -float("inf")]}})


@CASES.case(GRADED)
def number_with_a_million_digits(sent):
    sent.replace(sent.bytes_of().replace(b'"metadata"', b'"n": ' + b"9" * 1_000_000 + b', "metadata"', 1))


@CASES.case(GRADED)
def duplicate_keys_last_wins(sent):
    sent.replace(sent.bytes_of().replace(b"{", b'{"cells": [], "nbformat": 5, ', 1))


@CASES.case(REVIEW, "nested too deeply")
def nested_too_deeply(sent):
    sent.replace(b'{"cells": ' + b"[" * 200_000 + b"]" * 200_000 + b"}")


@CASES.case(REVIEW, "nested too deeply")
def nested_objects_in_metadata(sent):
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    sent.replace(sent.bytes_of().replace(b'"metadata"', b'"deep": ' + deep + b', "metadata"', 1))


@CASES.case(REPAIRED, "lone surrogates")
def lone_surrogates(sent):
    book = sent.book()
    of(book, "area")["source"] = "# \ud83d\n" + ANSWERS["area"]
    sent.replace(json.dumps(book).encode())


@CASES.case(REPAIRED, "NUL characters removed")
def nul_characters_in_an_answer(sent):
    book = sent.book()
    of(book, "area")["source"] = ANSWERS["area"].replace("return", "return\0")
    sent.put(book)


@CASES.case(GRADED)
def astral_and_combining_characters(sent):
    book = sent.book()
    of(book, "area")["source"] += "  # 𝔸 é \u200b \u202e 🧮"
    sent.put(book)


@CASES.case(GRADED)
def trailing_blanks_and_zeros(sent):
    sent.replace(sent.bytes_of() + b"\n\n\0\0\0\x1a")


@CASES.case(REPAIRED, "the same notebook twice")
def saved_twice_into_one_file(sent):
    sent.replace(sent.bytes_of() + sent.bytes_of())


@CASES.case(REVIEW, "something else follows")
def two_versions_in_one_file(sent):
    book = sent.book()
    of(book, "area")["source"] = "def area(w, h):\n    return h * w"
    sent.replace(sent.bytes_of() + dump(book))


@CASES.case(REVIEW, "something else follows")
def text_after_the_end(sent):
    sent.replace(sent.bytes_of() + b"-- sent from my phone")


@CASES.case(REVIEW, "the file is empty")
def empty_file(sent):
    sent.replace(b"")


@CASES.case(REVIEW, "nothing but blanks")
def blank_file(sent):
    sent.replace(b" \n\n\t")


@CASES.case(REVIEW, "nothing but blanks")
def zeros_after_a_crash(sent):
    sent.replace(b"\0" * 4096)


@CASES.case(REVIEW, "truncated")
def truncated(sent):
    sent.replace(sent.bytes_of()[: len(sent.bytes_of()) // 2])


@CASES.case(REVIEW, "truncated")
def last_brace_missing(sent):
    sent.replace(sent.bytes_of().rstrip()[:-1])


@CASES.case(REVIEW, "not valid JSON")
def trailing_comma(sent):
    sent.replace(sent.bytes_of().rstrip()[:-1] + b",}")


@CASES.case(REVIEW, "merge markers")
def merge_markers_in_the_file(sent):
    lines = sent.bytes_of().split(b"\n")
    lines[3:4] = [b"<<<<<<< HEAD", lines[3], b"=======", lines[3], b">>>>>>> theirs"]
    sent.replace(b"\n".join(lines))


@CASES.case(REVIEW, "an HTML page")
def html_page(sent):
    sent.replace(b"<!DOCTYPE html>\n<html><body>Sign in to continue</body></html>")


@CASES.case(REVIEW, "XML")
def xml_error_of_a_file_store(sent):
    sent.replace(b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>")


@CASES.case(REVIEW, "a Python script")
def python_script_with_the_notebooks_name(sent):
    sent.replace(b"# %%\nimport math\n\ndef area(w, h):\n    return w * h\n")


@CASES.case(REVIEW, "a PDF document")
def pdf(sent):
    sent.replace(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj")


@CASES.case(REVIEW, "a picture")
def screenshot(sent):
    sent.replace(b"\x89PNG\r\n\x1a\n" + b"\0" * 100)


@CASES.case(REVIEW, "a zip archive")
def zip_with_the_notebooks_name(sent):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("shapes.ipynb", sent.bytes_of())
    sent.replace(stream.getvalue())


@CASES.case(REVIEW, "a zip archive")
def zip_bomb(sent):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("shapes.ipynb", b" " * 20_000_000)
    sent.replace(stream.getvalue())


@CASES.case(REVIEW, "a gzip archive")
def gzipped(sent):
    sent.replace(gzip.compress(sent.bytes_of()))


@CASES.case(REVIEW, "a Git LFS pointer")
def git_lfs_pointer(sent):
    sent.replace(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")


@CASES.case(REVIEW, "JSON int")
def json_number(sent):
    sent.replace(b"12")


@CASES.case(REVIEW, "JSON NoneType")
def json_null(sent):
    sent.replace(b"null")


@CASES.case(REVIEW, "JSON list")
def json_list(sent):
    sent.replace(b"[]")


@CASES.case(REVIEW, "holds no cells")
def json_object(sent):
    sent.replace(b'{"name": "x"}')


@CASES.case(REVIEW, "holds no cells")
def cells_are_an_object(sent):
    sent.put(sent.book() | {"cells": {"0": {}}})


@CASES.case(REVIEW, "the notebook has no cells")
def no_cells(sent):
    sent.put(sent.book() | {"cells": []})


@CASES.case(REVIEW, "more than 5000 are not read")
def too_many_cells(sent):
    made = {"cell_type": "code", "source": "1", "metadata": {}}
    sent.put(sent.book() | {"cells": [made] * 6000})


@CASES.case(REPAIRED, "inside a JSON string")
def notebook_inside_a_json_string(sent):
    sent.replace(json.dumps(text_of(sent)).encode())


@CASES.case(REPAIRED, "a Jupyter server's reply")
def notebook_inside_a_servers_reply(sent):
    reply = {"name": "shapes.ipynb", "type": "notebook", "format": "json", "content": sent.book()}
    sent.replace(json.dumps(reply).encode())


@CASES.case(GRADED)
def colab_export(sent):
    book = sent.book() | {"nbformat_minor": 0}
    for k, made in enumerate(book["cells"]):
        made["metadata"] |= {"id": f"AbC{k}", "colab": {"base_uri": "https://localhost:8080/"}}
        del made["id"]
        made["source"] = made["source"].splitlines(keepends=True)
    book["metadata"] |= {"colab": {"provenance": []}}
    sent.put(book)


@CASES.case(GRADED)
def random_bytes_in_outputs(sent):
    book = sent.book()
    noise = "".join(map(chr, range(1, 0x250)))
    of(book, "demo")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": noise}]
    sent.put(book)


@CASES.case(REVIEW, "is it another notebook?")
def blank_notebook(sent):
    book = sent.book()
    book["cells"] = [dict(of(book, "setup"), source="", id="fresh", metadata={})]
    sent.put(book)


@CASES.case(REPAIRED, "the answer cell is missing", ("total-test",))
def half_the_notebook(sent):
    book = sent.book()
    book["cells"] = book["cells"][: at(book, "area-kind-test") + 1]
    sent.put(book)
