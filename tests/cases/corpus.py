"""What a case is, and how it changes an honest submission."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.builder import Cell, Notebook, dump

GRADED, REPAIRED, REVIEW = "graded", "graded_with_repairs", "needs_review"


class Sent:
    """The files of one submission, while a case changes them."""

    def __init__(self, files: dict[str, bytes], course: object = None) -> None:
        self.files = dict(files)
        self.refused: dict[str, str] = {}
        self.timestamp_problem = ""

    def book(self, name: str = "shapes") -> Notebook:
        return json.loads(self.files[f"{name}.ipynb"])

    def put(self, book: Notebook, name: str = "shapes") -> None:
        self.files[f"{name}.ipynb"] = dump(book)

    def bytes_of(self, name: str = "shapes") -> bytes:
        return self.files[f"{name}.ipynb"]

    def replace(self, content: bytes, name: str = "shapes") -> None:
        self.files[f"{name}.ipynb"] = content

    def rename(self, new: str, name: str = "shapes") -> None:
        self.files[new] = self.files.pop(f"{name}.ipynb")


def at(book: Notebook, cell_id: str) -> int:
    """Index of the honest cell with this id."""
    return next(i for i, made in enumerate(book["cells"]) if made.get("id") == cell_id)


def of(book: Notebook, cell_id: str) -> Cell:
    return book["cells"][at(book, cell_id)]


@dataclass(frozen=True)
class Case:
    """One damaged submission and what is right for it.

    Attributes:
        name: What was done, as an identifier.
        kind: ``structure``, ``format`` or ``folder``.
        change: Applies the damage.
        outcome: The right status.
        says: A phrase that one of the repairs (problems for `needs_review`, notes for `graded`) contains.
        loses: Tests that may lose their points; all others keep them. Unused for `needs_review`.
    """

    name: str
    kind: str
    change: Callable[[Sent], None]
    outcome: str
    says: str
    loses: frozenset[str] = field(default_factory=frozenset)


class Corpus(list[Case]):
    """Collects the cases of one module."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def case(
        self, outcome: str, says: str = "", loses: tuple[str, ...] = ()
    ) -> Callable[[Callable[[Sent], None]], Callable[[Sent], None]]:
        """Register the decorated function as a case."""

        def register(change: Callable[[Sent], None]) -> Callable[[Sent], None]:
            self.append(Case(change.__name__, self.kind, change, outcome, says, frozenset(loses)))
            return change

        return register

    def edit(
        self, outcome: str, says: str = "", loses: tuple[str, ...] = ()
    ) -> Callable[[Callable[[Notebook], None]], Callable[[Notebook], None]]:
        """Register a function that changes the notebook ``shapes`` only."""

        def register(change: Callable[[Notebook], None]) -> Callable[[Notebook], None]:
            def apply(sent: Sent) -> None:
                book = sent.book()
                change(book)
                sent.put(book)

            self.append(Case(change.__name__, self.kind, apply, outcome, says, frozenset(loses)))
            return change

        return register
