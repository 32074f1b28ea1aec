"""Honest students of the parity course: good, middling, careless, none of them hostile.

Each file of ``students/`` is the instructor's solution with some answers replaced: a line ``# %% GRADE_ID``
begins each of them, and ``UNTOUCHED`` stands for the text of the release.
"""

from pathlib import Path

FOLDER = Path(__file__).parent / "students"
STUDENTS = tuple(sorted(path.stem for path in FOLDER.glob("*.txt")))
UNTOUCHED = "UNTOUCHED"

# The notebooks that only some students sent.
SENT_BY = {
    "idioms": ("ada-as-the-instructor", "hal-raises-and-divides-by-zero", "jo-wrong-types"),
    "magics": (
        "ada-as-the-instructor",
        "ed-new-objects-instead-of-changed-ones",
        "ivy-leans-on-globals",
    ),
    "objects": (
        "ada-as-the-instructor",
        "bo-other-style",
        "di-half-right",
        "fay-prints-instead-of-returning",
        "gus-does-not-compile",
        "jo-wrong-types",
    ),
    "tensors": ("ada-as-the-instructor", "bo-other-style", "ed-new-objects-instead-of-changed-ones"),
}


def answers(student: str, solutions: dict[str, str]) -> dict[str, str]:
    """Return a student's answers by grade id; an untouched cell is absent."""
    text = (FOLDER / f"{student}.txt").read_text(encoding="utf-8").strip("\n")
    if text == UNTOUCHED:
        return {}
    own = dict(piece.split("\n", 1) for piece in text.removeprefix("# %% ").split("\n# %% ") if piece)
    return {name: body.strip("\n") for name, body in (solutions | own).items() if body.strip() != UNTOUCHED}
