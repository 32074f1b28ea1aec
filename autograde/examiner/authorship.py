"""What of a laid notebook its student wrote, and what of it may show what a hidden check has asked."""

from autograde.examiner.names import WORD
from autograde.examiner.task import Book, CellPlan, LaidText

# Words that find names by their text.
_LOOK_UP = {
    "globals",
    "locals",
    "vars",
    "eval",
    "exec",
    "dir",
    "get_ipython",
    "Out",
    "__main__",
    "getattr",
    "_",
}


def own_words(book: Book, plan: tuple[CellPlan, ...], laid: tuple[LaidText, ...]) -> set[str]:
    """Return the words that the student wrote; every name, where names may be looked up by text."""
    words: set[str] = set()
    for item in laid:
        if item.code and (item.source_index is None or item.text != book.cells[item.source_index].source):
            words |= set(WORD.findall(item.text))
    if words & _LOOK_UP:
        words |= {name for cell in plan for name in cell.binds}
    return words


def shows_own_work(book: Book, item: LaidText) -> bool:
    """Say whether a cell's outputs are worth keeping: the student wrote it, or a person grades it."""
    if item.source_index is None:
        return True
    cell = book.cells[item.source_index]
    return not cell.is_test and (cell.manual or item.text != cell.source)


def first_after_hidden(book: Book, laid: tuple[LaidText, ...], *, called: bool) -> int:
    """Return the index of the first cell that could print what a hidden check asked.

    Args:
        book: The instructor's notebook.
        laid: The student's cells.
        called: Hidden checks of an earlier notebook have called this student's code, which may have kept
            what they asked in a file.
    """
    if called:
        return 0
    hidden = (
        index
        for index, item in enumerate(laid)
        if item.source_index is not None and book.cells[item.source_index].hides
    )
    return next(hidden, len(laid))
