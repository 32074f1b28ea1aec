"""Put a matched submission onto the source's cells: order, texts and types, with every repair noted."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from autograde.course import Role
from autograde.intake.match import Matching, match
from autograde.intake.model import LaidCell, LaidNotebook
from autograde.intake.read import MERGE_MARKERS, RawCell
from autograde.intake.template import Template

_FENCED = re.compile(r"\s*+```[ \t]*+\w*+[ \t]*+\n(.*?)\n?```\s*", re.DOTALL)
_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Laid:
    """A laid notebook, with what was done and what a person must look at (phrases without its name)."""

    notebook: LaidNotebook
    repairs: tuple[str, ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()


def lay(template: Template, cells: tuple[RawCell, ...]) -> Laid:
    """Lay a readable submission onto its source notebook."""
    matching = match(template, cells)
    work = _Layer(template, cells, matching)
    laid = tuple(work.cells())
    real = [i for i in matching.main if template.cells[i].role is not Role.PROSE]
    if not real:
        work.problems.append("no cell of the assignment was found in it; is it another notebook?")
    return Laid(
        LaidNotebook(template.name, laid), tuple(work.repairs), tuple(work.problems), tuple(work.notes)
    )


class _Layer:
    def __init__(self, template: Template, cells: tuple[RawCell, ...], matching: Matching) -> None:
        self.template = template
        self.student = cells
        self.main = matching.main
        self.repairs = list(matching.repairs)
        self.problems: list[str] = []
        self.notes: list[str] = []
        self._matching = matching
        self._used_ids = {cell.cell_id for cell in template.cells}
        self._metadata_changes: dict[str, list[str]] = {}
        versions = Counter(
            _version(cells[position]) for position in self.main.values() if cells[position].meta
        )
        # A course released by an old nbgrader has its version everywhere; only a stray cell is worth a word.
        self._usual_version = versions.most_common(1)[0][0] if versions.total() > 1 else "3"

    def cells(self) -> Iterator[LaidCell]:
        """Yield the laid cells in order, collecting repairs and problems."""
        self._note_order()
        added = self._added_cells()
        waiting = added.pop(-1, [])
        for index, cell in enumerate(self.template.cells):
            if index in self.main:
                yield from map(self._added, waiting)
                yield from map(self._added, added.pop(-2 - index, []))
                yield self._inside(index) if index in self._matching.inside else self._matched(index)
                waiting = added.pop(index, [])
            elif index in self.template.required:
                if cell.role is Role.TEST:
                    yield from map(self._added, waiting)
                    waiting = []
                if index in self._matching.inside:
                    yield self._inside(index)
                    continue
                self._note_missing(index)
                yield LaidCell(index, cell.cell_type, self._stand_in(index), cell.cell_id)
        yield from map(self._added, waiting)
        for change, names in self._metadata_changes.items():
            self.repairs.append(f"{change} in {', '.join(names)}: the source's is used")

    def _note_order(self) -> None:
        placed = (self.template.required & self.main.keys()) - self._matching.moved_in
        places = [self.main[index] for index in sorted(placed)]
        if places != sorted(places):
            self.repairs.append("cells were moved; put back into the source's order")

    def _added_cells(self) -> dict[int, list[int]]:
        """Student cells that no source cell has, by the source cell they follow (-1: none).

        What stands right before an answer found elsewhere (helpers, imports) travels with it; its key is
        -2 minus the answer's index.
        """
        source_of = {position: index for index, position in self.main.items()}
        groups: dict[int, list[int]] = {}
        anchor, run = -1, list[int]()
        for position in range(len(self.student)):
            index = source_of.get(position)
            if index is None:
                if position not in self._matching.dropped:
                    run.append(position)
                continue
            key = -2 - index if index in self._matching.moved_in else anchor
            groups.setdefault(key, []).extend(run)
            anchor, run = index, []
        groups.setdefault(anchor, []).extend(run)
        return groups

    def _added(self, position: int) -> LaidCell:
        cell = self.student[position]
        wanted = cell.cell_id or ""
        if not _PLAIN_ID.fullmatch(wanted) or wanted in self._used_ids:
            wanted = f"added-{position}"
        while wanted in self._used_ids:
            wanted += "-again"
        self._used_ids.add(wanted)
        return LaidCell(None, cell.cell_type or "markdown", cell.text, wanted)

    def _note_missing(self, index: int) -> None:
        label, cell = self.template.label(index), self.template.cells[index]
        if cell.grade_id is None and not cell.own_id:
            # Nothing tells a cell that a student tried things in from one that was deleted.
            self.notes.append(f"{label}: no cell says what it said; the source's is run too")
        elif index in self.template.answers:
            self.repairs.append(f"{label}: the answer cell is missing and was not found elsewhere")
        else:
            self.repairs.append(f"{label}: missing; put back from the source")

    def _inside(self, index: int) -> LaidCell:
        """Lay an answer that was written into another cell: early enough it needs no text of its own."""
        source, other = self.template.cells[index], self._matching.inside[index]
        tests = [i for i, c in enumerate(self.template.cells) if i > index and c.role is Role.TEST]
        if other < min(tests, default=other + 1):
            text = f"# answered in the cell of {self.template.label(other)}"
        else:
            text = self.student[self.main[other]].text
        return LaidCell(index, source.cell_type, text, source.cell_id)

    def _stand_in(self, index: int) -> str:
        """Return the text for a cell that is not there; a stub must not undo what a plain cell may define."""
        names = [re.escape(name) for name, owner in self.template.owner.items() if owner == index]
        word = re.compile(rf"\b(?:{'|'.join(names)})\b")
        used = set(self.main.values())
        own = (cell.text for position, cell in enumerate(self.student) if position not in used)
        if names and any(word.search(text) for text in own):
            return ""
        return self.template.cells[index].released

    def _matched(self, index: int) -> LaidCell:
        source, cell = self.template.cells[index], self.student[self.main[index]]
        label = self.template.label(index)
        self._compare_metadata(index, cell)
        if source.locked:
            if source.was_released(cell.text):
                self.notes.append(f"{label}: as it was before source/ was changed; today's text is used")
            elif not self.template.as_released(index, cell.text):
                self.repairs.append(f"{label}: a locked cell was changed; the source's text is used")
            return LaidCell(index, source.cell_type, source.released, source.cell_id)
        text, kind = cell.text, cell.cell_type
        if cell.damaged and (index in self.template.answers or source.role is Role.GIVEN):
            self.problems.append(f"{label}: the cell's text is not stored as text")
        restore = source.grade_id is not None or self.template.is_stub(index, text) or not kind
        if restore and kind != source.cell_type:
            self.repairs.append(
                f"{label}: a {source.cell_type} cell was turned into {kind or 'no type'}; restored"
            )
            kind = source.cell_type
            text = self._without_fence(label, text) if kind == "code" else text
        if kind == "code" and "<<<<<<<" in text and all(marker.search(text) for marker in MERGE_MARKERS):
            self.problems.append(f"{label}: holds unresolved merge markers (<<<<<<<, =======, >>>>>>>)")
        return LaidCell(index, kind, text, source.cell_id)

    def _without_fence(self, label: str, text: str) -> str:
        fenced = _FENCED.fullmatch(text)
        if not fenced or "```" in fenced[1]:
            return text
        self.repairs.append(f"{label}: the ``` fence around its code was removed")
        return fenced[1]

    def _compare_metadata(self, index: int, cell: RawCell) -> None:
        """Note nbgrader metadata that differs from the source's: it never counts, but it tells a story.

        Points are only a remark: they differ for everybody once the instructor has changed the cell's.
        """
        ours = self.template.cells[index].metadata.get("nbgrader")
        if not ours or not cell.meta:
            return
        label = self.template.label(index)
        for key in ("grade", "solution", "locked"):
            if key in cell.meta and key in ours and not _same(cell.meta[key], ours[key]):
                self._metadata_changes.setdefault(f"{key} changed", []).append(label)
        points = cell.meta.get("points", ours.get("points"))
        if "points" in ours and not _same(points, ours["points"]):
            self.notes.append(
                f"{label}: says {ascii(points)[:20]} points; "
                f"the source's {self.template.cells[index].points:g} count"
            )
        version = _version(cell)
        if version not in (self._usual_version, "3"):
            text = f"nbgrader metadata of version {version}"
            self._metadata_changes.setdefault(text, []).append(self.template.label(index))


def _version(cell: RawCell) -> str:
    return ascii(cell.meta.get("schema_version", 0))[:20]


def _same(theirs: object, ours: object) -> bool:
    if isinstance(ours, bool) or not isinstance(ours, int | float):
        return theirs is ours or theirs == ours
    return isinstance(theirs, int | float) and not isinstance(theirs, bool) and theirs == ours
