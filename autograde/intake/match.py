"""Find out which cell of a submission is which cell of the source.

Evidence, strongest first: nbgrader's id, the format's cell id, the released text itself, the names that
only this answer defines, similar lines, the only candidate in the right place. An answer cell whose id says
one thing and whose names say another goes where its names belong, if that place is otherwise empty.

Several pieces with one id all stay and run in their order, as they did for the student, so what runs last
before a test counts; an untouched stub among them is dropped, because the student wrote elsewhere.
"""

from dataclasses import dataclass, field

from autograde.course import Role, normal_text
from autograde.intake.read import RawCell
from autograde.intake.template import Template, lines_of, similarity

_SIMILAR = 0.5
_MAX_PAIRS = 20_000


@dataclass(slots=True)
class Matching:
    """Which student cell stands for which source cell.

    Attributes:
        main: Source index -> index of the student's cell that stands for it.
        dropped: Student cells that add nothing: copies of locked cells and of stubs.
        moved_in: Source indices whose answer was found in a cell that no id connects with them.
        inside: Source index of an answer written into another source cell -> that cell's index.
        repairs: What was done, one phrase each.
    """

    main: dict[int, int] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    moved_in: set[int] = field(default_factory=set)
    inside: dict[int, int] = field(default_factory=dict)
    repairs: list[str] = field(default_factory=list)


def match(template: Template, cells: tuple[RawCell, ...]) -> Matching:
    """Match a submission's cells with the source's."""
    return _Matcher(template, cells).run()


class _Matcher:
    def __init__(self, template: Template, cells: tuple[RawCell, ...]) -> None:
        self.template = template
        self.cells = cells
        self.result = Matching()
        self.free = set(range(len(cells)))
        self._known_claims: dict[int, frozenset[int]] = {}

    def run(self) -> Matching:
        pieces = self._by_ids()
        self._by_names_against_ids(pieces)
        for index, found in pieces.items():
            self._choose(index, found)
        missing = self._missing()
        if missing and self.free:
            self._by_text(missing)
            self._by_names()
            self._by_similarity()
            self._by_place()
        if self.free:
            self._written_elsewhere()
        self._written_inside()
        return self.result

    def _claims(self, position: int) -> frozenset[int]:
        """Return the answers whose names a student's cell defines."""
        if position not in self._known_claims:
            self._known_claims[position] = self.template.claims(self.cells[position].text)
        return self._known_claims[position]

    def _missing(self) -> list[int]:
        present = self.result.main
        return [
            index
            for index, cell in enumerate(self.template.cells)
            if index not in present and (cell.in_release or cell.cell_type != "code")
        ]

    def _take(self, index: int, position: int) -> None:
        self.result.main[index] = position
        self.free.discard(position)

    def _by_ids(self) -> dict[int, list[int]]:
        pieces: dict[int, list[int]] = {}
        for position, cell in enumerate(self.cells):
            index = self.template.by_grade_id.get(cell.grade_id or "")
            if index is not None:
                pieces.setdefault(index, []).append(position)
                self.free.discard(position)
        for position in sorted(self.free):
            index = self.template.by_cell_id.get(self.cells[position].cell_id or "")
            if index is not None and index not in pieces:
                pieces[index] = [position]
                self.free.discard(position)
                expected = self.template.cells[index].grade_id
                if expected and index in self.template.required:
                    self._note_lost_id(expected, self.cells[position])
        return pieces

    def _note_lost_id(self, expected: str, cell: RawCell) -> None:
        was = f"renamed to {cell.grade_id!r}" if cell.grade_id else "lost"
        self.result.repairs.append(f"{expected}: its grade_id was {was}; restored from the cell's id")

    def _by_names_against_ids(self, pieces: dict[int, list[int]]) -> None:
        """Move pieces whose names belong to another answer that has nothing of its own."""
        template = self.template
        claims: dict[int, frozenset[int]] = {}
        astray = []
        for index, found in pieces.items():
            cell = template.cells[index]
            if cell.cell_type != "code" or not (index in template.answers or cell.locked):
                continue
            for position in found:
                text = self.cells[position].text
                claims[position] = frozenset() if template.is_stub(index, text) else self._claims(position)
                if claims[position] and index not in claims[position]:
                    astray.append((index, position))
        if not astray:
            return
        holders = {index for index, found in pieces.items() if any(index in claims.get(p, ()) for p in found)}
        for index, position in astray:
            others = claims[position] - holders
            if len(others) != 1:
                continue
            (other,) = others
            pieces[index].remove(position)
            pieces[other] = sorted([*pieces.get(other, []), position])
            self.result.moved_in.add(other)
            self.result.repairs.append(
                f"{template.label(other)}: its answer was written in the cell of {template.label(index)}; "
                f"used as the answer"
            )
        for index in [index for index, found in pieces.items() if not found]:
            del pieces[index]

    def _choose(self, index: int, found: list[int]) -> None:
        """Choose the piece that stands for a source cell; what happens to the others depends on its role."""
        template, cells = self.template, self.cells
        if len(found) == 1:
            self._take(index, found[0])
            return
        label = template.label(index)
        if template.cells[index].locked:
            copies = [p for p in found if template.as_released(index, cells[p].text)]
            self._take(index, (copies or found)[0])
            self.result.dropped.update(copies[1:])
            self.result.repairs.append(f"{label}: {len(found)} copies; the source's is used once")
            return
        written = [p for p in found if not template.is_stub(index, cells[p].text)]
        self.result.dropped.update(set(found) - set(written or found[:1]))
        kept = written or found[:1]
        named = [p for p in kept if index in template.claims(cells[p].text)]
        self._take(index, (named or kept)[-1])
        if len(kept) == 1:
            self.result.repairs.append(
                f"{label}: {len(found)} cells with this id; the one with work in it is used"
            )
        else:
            self.result.repairs.append(
                f"{label}: {len(kept)} cells with this id; all are run, in their order"
            )

    def _by_text(self, missing: list[int]) -> None:
        places: dict[str, list[int]] = {}
        for position in sorted(self.free):
            places.setdefault(normal_text(self.cells[position].text), []).append(position)
        for index in missing:
            same = places.get(self.template.released[index])
            if same and self.template.released[index]:
                self._take(index, same.pop(0))
                self._note_plain(index, "matched by its text")

    def _note_plain(self, index: int, how: str) -> None:
        if self.template.cells[index].grade_id:
            self.result.repairs.append(
                f"{self.template.label(index)}: its nbgrader metadata is missing; {how}"
            )

    def _by_names(self) -> None:
        for index in self._missing():
            found = [p for p in sorted(self.free) if index in self._claims(p)]
            if found:
                self._take(index, found[-1])
                self.result.moved_in.add(index)
                self._note_plain(index, "the answer was found in a plain cell, by the names it defines")

    def _by_similarity(self) -> None:
        missing = [index for index in self._missing() if index in self.template.required]
        if len(missing) * len(self.free) > _MAX_PAIRS:
            return
        theirs = {position: lines_of(self.cells[position].text) for position in self.free}
        scored = sorted(
            (
                (-score, abs(index - position), index, position)
                for index in missing
                for ours in [lines_of(self.template.cells[index].released)]
                for position, lines in theirs.items()
                if (score := similarity(ours, lines)) >= _SIMILAR
            ),
        )
        for _, _, index, position in scored:
            if index not in self.result.main and position in self.free:
                self._take(index, position)
                self._note_plain(index, "matched by similar lines")

    def _by_place(self) -> None:
        """A written answer may share no line with its stub: accept the only candidate in its place."""
        for index in self._missing():
            cell = self.template.cells[index]
            if index not in self.template.answers or cell.cell_type == "code":
                continue
            between = self._between(index)
            found = [p for p in between if self.cells[p].cell_type != "code" and self.cells[p].text.strip()]
            if len(found) == 1:
                self._take(index, found[0])
                self._note_plain(index, "the only text cell in its place is used")

    def _between(self, index: int) -> list[int]:
        """Free student cells between the nearest matched neighbours of a source cell."""
        main = self.result.main
        before = max((main[i] for i in main if i < index), default=-1)
        after = min((main[i] for i in main if i > index), default=len(self.cells))
        return [position for position in sorted(self.free) if before < position < after]

    def _written_elsewhere(self) -> None:
        """Use an answer that the student wrote in a cell of their own and left the stub untouched."""
        template, main = self.template, self.result.main
        for index in sorted(main):
            cell, position = template.cells[index], main[index]
            if index not in template.answers or not template.is_stub(index, self.cells[position].text):
                continue
            if cell.cell_type == "code":
                found = [p for p in sorted(self.free) if index in self._claims(p)]
                if cell.role is Role.ANSWER and found and self._in_time(index, position, found[-1]):
                    continue
            else:
                below = position + 1
                found = [below] if below in self.free and self.cells[below].cell_type == "markdown" else []
                found = [p for p in found if self.cells[p].text.strip()]
            if found:
                self._take(index, found[-1])
                self.result.dropped.add(position)
                self.result.moved_in.add(index)
                self.result.repairs.append(
                    f"{template.label(index)}: untouched; the answer in a cell of the student's own is used"
                )

    def _in_time(self, index: int, stub: int, position: int) -> bool:
        """Tell whether a student's cell runs after a stub and before the test that follows it."""
        tests = [i for i, c in enumerate(self.template.cells) if i > index and c.role is Role.TEST]
        return stub < position and all(position < self.result.main.get(i, position + 1) for i in tests[:1])

    def _written_inside(self) -> None:
        """Find answers that were merged into another cell: a stub after them would undo them."""
        template, main = self.template, self.result.main
        empty = [
            index
            for index in set(template.owner.values())
            if index not in main or template.is_stub(index, self.cells[main[index]].text)
        ]
        if not empty:
            return
        for other in sorted(main):
            source = template.cells[other]
            if source.cell_type != "code" or source.locked:
                continue
            claims = self._claims(main[other])
            for index in empty:
                if index in claims and index != other and index not in self.result.inside:
                    self.result.inside[index] = other
                    self.result.repairs.append(
                        f"{template.label(index)}: its answer is in the cell of {template.label(other)}"
                    )
