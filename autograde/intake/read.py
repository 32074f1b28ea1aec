"""From a file's bytes to notebook cells: heals what is certain, says why where nothing can be read."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from autograde.intake.decode import decode

MAX_CELLS = 5000
MAX_CODE = 2**20  # characters of a code cell
MAX_PROSE = 16 * 2**20  # of another: some editors write pictures into the text
_MAX_INT_DIGITS = 20
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
MERGE_MARKERS = (
    re.compile(r"^<{7}( |$)", re.MULTILINE),
    re.compile(r"^={7}$", re.MULTILINE),
    re.compile(r"^>{7}( |$)", re.MULTILINE),
)
_FOREIGN_FILES = (
    (b"PK\x03\x04", "a zip archive (or an office document)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"{\\rtf", "a rich-text document"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself"),
    (b"SQLite format 3", "a database"),
    (b"\x7fELF", "a program"),
)


@dataclass(frozen=True, slots=True)
class RawCell:
    """One cell as the student's file has it.

    Attributes:
        text: The cell's text, with Unix line ends.
        cell_type: ``code``, ``markdown``, ``raw``, or "" if the file does not say.
        cell_id: The nbformat id; None if there is none.
        meta: nbgrader's metadata of the cell; empty if there is none.
        damaged: The text was not stored as text.
    """

    text: str
    cell_type: str
    cell_id: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    damaged: bool = False

    @property
    def grade_id(self) -> str | None:
        """The cell's id for nbgrader, if it is a string."""
        value = self.meta.get("grade_id")
        return value if isinstance(value, str) and value else None


@dataclass(frozen=True, slots=True)
class RawNotebook:
    """What a file says.

    Attributes:
        cells: The cells, in order; empty if there is a problem.
        repairs: What was healed, one phrase each.
        problem: Why the file cannot be used; "" if it can.
    """

    cells: tuple[RawCell, ...]
    repairs: tuple[str, ...] = ()
    problem: str = ""


def read_notebook(content: bytes) -> RawNotebook:
    """Read a notebook of any nbformat from untrusted bytes; never fails.

    Example:
        >>> read_notebook(b"").problem
        'the file is empty'
    """
    repairs: list[str] = []
    try:
        data = _parse(content, repairs)
        cells = _cells(_unwrap(data, repairs), repairs)
    except _UnreadableError as error:
        return RawNotebook((), tuple(repairs), str(error))
    return RawNotebook(cells, tuple(repairs))


class _UnreadableError(Exception):
    """The file cannot be used; the text says why."""


def _parse(content: bytes, repairs: list[str]) -> Any:
    if not content.strip(b"\0 \t\r\n"):
        raise _UnreadableError("the file is empty" if not content else "the file holds nothing but blanks")
    for magic, what in _FOREIGN_FILES:
        if content.startswith(magic):
            raise _UnreadableError(f"the file is {what}, not a notebook")
    decoded = decode(content)
    text = decoded.text.strip("\0\x1a \t\r\n")
    decoder = json.JSONDecoder(parse_int=_small_int, strict=True)
    try:
        data, end = decoder.raw_decode(text)
    except json.JSONDecodeError as error:
        data, end = _parse_leniently(text, error, repairs)
    except (RecursionError, MemoryError) as error:
        raise _UnreadableError("the JSON is nested too deeply") from error
    if decoded.repair:
        repairs.append(decoded.repair)
    rest = text[end:].strip()
    if rest and rest != text[:end].strip():
        raise _UnreadableError(f"something else follows the end of the notebook: {rest[:30]!r}")
    if rest:
        repairs.append("the file held the same notebook twice")
    return data


def _small_int(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else float(digits)


def _parse_leniently(text: str, error: json.JSONDecodeError, repairs: list[str]) -> tuple[Any, int]:
    """Accept raw line breaks inside strings, which a hand-edited file may have; explain anything else."""
    try:
        data, end = json.JSONDecoder(parse_int=_small_int, strict=False).raw_decode(text)
    except (json.JSONDecodeError, RecursionError, MemoryError):
        raise _UnreadableError(_why_not_json(text, error)) from error
    repairs.append("raw control characters inside JSON strings accepted")
    return data, end


def _why_not_json(text: str, error: json.JSONDecodeError) -> str:
    start = text[:400].lower()
    if all(marker.search(text) for marker in MERGE_MARKERS):
        return "the file holds unresolved merge markers (<<<<<<<, =======, >>>>>>>)"
    if start.startswith(("<!doctype html", "<html")) or "<html" in start:
        return "the file is an HTML page, not a notebook"
    if start.startswith("<?xml"):
        return "the file is XML, not a notebook"
    if text.startswith("{") and error.pos >= len(text):
        return "the file ends in the middle (truncated)"
    if text.startswith("{") and error.msg.startswith("Unterminated string"):
        return "the file ends in the middle of a text (truncated)"
    if re.search(r"^(import|from|def|class|# %%|#!)", text[:2000], re.MULTILINE) and text[0] not in "{[":
        return "the file is a Python script, not a notebook"
    return f"the file is not valid JSON (line {error.lineno}, column {error.colno}: {error.msg})"


def _unwrap(data: Any, repairs: list[str]) -> dict[str, Any]:
    """Return the notebook itself: some tools store it inside a string or a server's reply."""
    if isinstance(data, str):
        try:
            data = json.loads(data, parse_int=_small_int)
        except (ValueError, RecursionError, MemoryError) as error:
            raise _UnreadableError("the file holds a JSON text, not a notebook") from error
        repairs.append("the notebook was stored inside a JSON string")
    if isinstance(data, dict) and data.get("type") == "notebook" and isinstance(data.get("content"), dict):
        data = data["content"]
        repairs.append("the notebook was wrapped in a Jupyter server's reply")
    if not isinstance(data, dict):
        raise _UnreadableError(f"the file holds a JSON {type(data).__name__}, not a notebook")
    return data


def _cells(data: dict[str, Any], repairs: list[str]) -> tuple[RawCell, ...]:
    version = data.get("nbformat")
    if isinstance(version, str) and version.strip().isascii() and version.strip().isdigit():
        version = int(version.strip()[:4])
    if isinstance(version, float):
        version = int(version) if version == version and abs(version) < 1000 else None
    if isinstance(version, int) and version > 4:
        raise _UnreadableError(f"nbformat {version} is newer than this program knows (4)")
    cells = data.get("cells")
    if not isinstance(cells, list) and isinstance(data.get("worksheets"), list):
        sheets = [s for s in data["worksheets"] if isinstance(s, dict) and isinstance(s.get("cells"), list)]
        cells = [cell for sheet in sheets for cell in sheet["cells"]]
        repairs.append(f"converted from nbformat {version if isinstance(version, int) else 3}")
    elif not isinstance(cells, list):
        known = ", ".join(sorted(ascii(key)[:20] for key in data)[:5]) or "nothing"
        raise _UnreadableError(f"the file is JSON but holds no cells (only {known})")
    elif not isinstance(version, int):
        repairs.append("the notebook does not say its nbformat; read as 4")
    elif version < 4:
        repairs.append(f"converted from nbformat {version}")
    if len(cells) > MAX_CELLS:
        raise _UnreadableError(f"the notebook has {len(cells)} cells; more than {MAX_CELLS} are not read")
    raw = tuple(_cell(cell, repairs) for cell in cells if isinstance(cell, dict))
    if len(raw) < len(cells):
        repairs.append(f"{len(cells) - len(raw)} entries that are no cells left out")
    if not raw:
        raise _UnreadableError("the notebook has no cells")
    for cell in raw:
        limit = MAX_PROSE if cell.cell_type in ("markdown", "raw") else MAX_CODE
        if len(cell.text) > limit:
            raise _UnreadableError(f"a cell holds more than {limit // 2**20} MiB of text")
    return raw


def _cell(cell: dict[str, Any], repairs: list[str]) -> RawCell:
    kind = cell.get("cell_type")
    text, damaged = _text(cell, repairs)
    if kind == "heading":
        level = cell.get("level")
        text = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1) + " " + text
    metadata = cell.get("metadata")
    meta = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    cell_id = cell.get("id")
    return RawCell(
        text=text,
        cell_type=_cell_type(cell, kind),
        cell_id=cell_id if isinstance(cell_id, str) and cell_id else None,
        meta=meta if isinstance(meta, dict) else {},
        damaged=damaged,
    )


def _cell_type(cell: dict[str, Any], kind: Any) -> str:
    if kind in ("code", "markdown", "raw"):
        return str(kind)
    if kind in ("heading", "html", "text"):
        return "markdown"
    return "code" if "outputs" in cell or "execution_count" in cell or "input" in cell else ""


def _text(cell: dict[str, Any], repairs: list[str]) -> tuple[str, bool]:
    """Return a cell's text, and whether it was stored as something else than text."""
    stored = next((cell[key] for key in ("source", "input", "code", "text") if key in cell), None)
    damaged = False
    if isinstance(stored, list):
        pieces = [piece for piece in stored if isinstance(piece, str)]
        damaged = len(pieces) < len(stored)
        whole_lines = len(pieces) > 1 and not any(piece.endswith("\n") for piece in pieces[:-1])
        if whole_lines:
            repairs.append("cells stored as lines without line ends joined")
        stored = ("\n" if whole_lines else "").join(pieces)
    elif not isinstance(stored, str):
        stored, damaged = "", True
    text = stored.replace("\r\n", "\n").replace("\r", "\n") if "\r" in stored else stored
    if "\0" in text:
        repairs.append("NUL characters removed")
        text = text.replace("\0", "")
    if not text.isascii() and _LONE_SURROGATE.search(text):
        repairs.append("broken characters (lone surrogates) replaced")
        text = _LONE_SURROGATE.sub("\ufffd", text)
    return text, damaged
