"""Runs answers against the instructor's cells, in this process: what one sitting of a notebook would score.

Only cells that nbgrader manages are run (given cells, answers, whole test cells of ``source/``), in the
notebook's order and in one namespace. Pictures and prose have tests of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import nbformat

ROOT = Path(__file__).parents[2]
CHAPTER = "03_serving_overlap"
ANSWERS = ROOT / "tests" / "answers" / CHAPTER
NOTEBOOK_OF = {
    "todo1-exposed-interval": "exposed_time",
    "todo2-handoff-estimate": "exposed_time",
    "todo3-handoff-state": "state_handoff",
    "todo4-decode-start": "state_handoff",
}
EDITIONS = {"source": "source/{}", "zh": "release/zh/{}", "en": "release/en/{}"}


@dataclass(frozen=True)
class Verdict:
    """What one test cell said: points, and what it raised."""

    points: float
    max_points: float
    raised: BaseException | None

    @property
    def lost(self) -> bool:
        return self.points < self.max_points


@cache
def managed_cells(notebook: str, edition: str = "source") -> tuple[tuple[str, dict[str, Any], str], ...]:
    """Return (grade_id, nbgrader's metadata, source) of each cell that nbgrader manages."""
    path = ROOT / EDITIONS[edition].format(CHAPTER) / f"{notebook}.ipynb"
    return tuple(
        (cell.metadata.nbgrader.grade_id, dict(cell.metadata.nbgrader), cell.source)
        for cell in nbformat.read(path, as_version=4).cells
        if "nbgrader" in cell.metadata
    )


def source_of(grade_id: str, edition: str = "source") -> str:
    """Return the text of one cell that nbgrader manages."""
    cells = [cell for notebook in set(NOTEBOOK_OF.values()) for cell in managed_cells(notebook, edition)]
    return next(source for name, _, source in cells if name == grade_id)


def answers_to(grade_id: str, kind: str) -> list[Path]:
    """Return the committed right or wrong answers to one TODO."""
    return sorted((ANSWERS / grade_id / kind).glob("*.py"))


def sit(notebook: str, answers: Mapping[str, str]) -> dict[str, Verdict]:
    """Run a notebook with these answers (grade_id -> code); the reference answers stand in for the others.

    An answer that raises is no answer: like a kernel, this goes on with the next cell.
    """
    namespace: dict[str, Any] = {"__name__": "__main__"}
    verdicts = {}
    for grade_id, metadata, source in managed_cells(notebook):
        raised = _execute(answers.get(grade_id, source), grade_id, namespace)
        if metadata["grade"]:
            points = metadata["points"]
            verdicts[grade_id] = Verdict(0 if raised else points, points, raised)
        elif raised and not metadata["solution"]:
            raise AssertionError(f"given cell {grade_id} does not run") from raised
    return verdicts


def sit_one(grade_id: str, answer: str) -> dict[str, Verdict]:
    """Run the notebook of a TODO with one answer to it and reference answers to the others."""
    return sit(NOTEBOOK_OF[grade_id], {grade_id: answer})


def of_todo(grade_id: str, verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    """Keep the test cells of one TODO: their ids begin with the answer's."""
    return {name: verdict for name, verdict in verdicts.items() if name.startswith(f"{grade_id}-test")}


def lost(verdicts: Mapping[str, Verdict]) -> list[str]:
    """Name the cells that did not give full points."""
    return [name for name, verdict in verdicts.items() if verdict.lost]


def _execute(source: str, name: str, namespace: dict[str, Any]) -> BaseException | None:
    try:
        exec(_compiled(source, name), namespace)
    except Exception as problem:
        return problem
    return None


@cache
def _compiled(source: str, name: str) -> CodeType:
    return compile(source, f"<{name}>", "exec")
