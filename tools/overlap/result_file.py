"""Reading and writing results: validated, whole or not at all, never over another run's file."""

import contextlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from tools.overlap import analysis
from tools.overlap.errors import ResultFileError
from tools.overlap.experiment import SCHEMA_VERSION

SCHEMA_PATH = Path(__file__).with_name("result.schema.json")
PREFIX = "inf_serving_overlap"
NO_VALIDATOR = "not validated: the package jsonschema is not installed here"
_VERSION = re.compile(r"inference-mechanism-gpu/v(\d+)")
_NAME = re.compile(PREFIX + r"_[A-Za-z0-9._-]+_\d{8}T\d{6}Z(-\d+)?\.json")
_RECOMPUTED = ("cases", "self_check", "link")


def validate(report: dict[str, Any]) -> str:
    """Check a report against the JSON Schema.

    Returns:
        "" if it was checked and holds, else that it could not be checked here.

    Raises:
        ResultFileError: If it does not hold; the message says where.
    """
    try:
        import jsonschema
    except ImportError:
        return NO_VALIDATOR
    schema = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    problem = jsonschema.exceptions.best_match(validator.iter_errors(report))
    if problem is not None:
        where = "/".join(str(part) for part in problem.absolute_path) or "the top level"
        raise ResultFileError(f"not a valid result at {where}: {problem.message[:300]}")
    return ""


def write(report: dict[str, Any], folder: Path) -> Path:
    """Write a report under a name of its own.

    The name is made of mode, label and start time; a number is added rather than overwriting a file. Where
    the report could not be validated, a note in the file says so.

    Args:
        report: A finished report.
        folder: Where results lie; made if missing.

    Returns:
        The path of the new file.

    Raises:
        ResultFileError: If the report is not valid, holds NaN or infinity, or cannot be written.
    """
    try:
        text = json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False)
    except ValueError as problem:
        raise ResultFileError(f"the result holds a number that JSON has no word for: {problem}") from problem
    plain = json.loads(text)
    if unchecked := validate(plain):
        plain["notes"].append(unchecked)
        text = json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)
    text = _compact_arrays(text) + "\n"
    stamp = report["started_at"].replace("-", "").replace(":", "")
    stem = f"{PREFIX}_{report['run_mode']}_{report['run_label']}_{stamp}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _place(text, folder, stem)
    except OSError as problem:
        raise ResultFileError(
            f"the result cannot be written to {folder}: {problem.strerror or problem}; "
            "give a folder that can be written with RESULTS_DIR or --results"
        ) from problem


def _place(text: str, folder: Path, stem: str) -> Path:
    handle, temporary = tempfile.mkstemp(prefix=".partial-", suffix=".json", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        for number in range(1, 1000):
            target = folder / (f"{stem}.json" if number == 1 else f"{stem}-{number}.json")
            if _claim(temporary, target):
                return target
        raise ResultFileError(f"a thousand results named {stem} lie in {folder}: use another RUN_LABEL")
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()


def _claim(temporary: str, target: Path) -> bool:
    try:
        os.link(temporary, target)  # atomic, and fails where os.replace would overwrite
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if target.exists():
            return False
        Path(temporary).replace(target)
    return True


def _compact_arrays(text: str) -> str:
    """Put arrays of plain values on one line; a JSON string holds no raw newline, so none changes."""
    flat = re.compile(r"\[\n\s*([^\[\]{}]*?)\n\s*\]")
    return flat.sub(lambda match: "[" + re.sub(r",\n\s*", ", ", match[1]) + "]", text)


def read(path: Path) -> dict[str, Any]:
    """Read and validate a result.

    Raises:
        ResultFileError: If it is missing, no JSON, of another version, or not valid.
    """
    try:
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ResultFileError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise ResultFileError(f"{path}: not a readable result: {problem}") from problem
    _check_version(path, report)
    try:
        validate(report)
    except ResultFileError as problem:
        raise ResultFileError(f"{path}: {problem}") from None
    return report


def _check_version(path: Path, report: Any) -> None:
    version = report.get("schema_version") if isinstance(report, dict) else None
    if version == SCHEMA_VERSION:
        return
    match = _VERSION.fullmatch(version) if isinstance(version, str) else None
    if match is None:
        raise ResultFileError(f"{path}: not a result of this experiment (schema_version is {version!r})")
    own = int(SCHEMA_VERSION.rpartition("v")[2])
    if int(match[1]) > own:
        raise ResultFileError(
            f"{path}: written by a newer version ({version}), this one reads {SCHEMA_VERSION}: "
            "update the course"
        )
    raise ResultFileError(
        f"{path}: an older result ({version}) without raw samples; measure again to get {SCHEMA_VERSION}"
    )


def find(folder: Path) -> list[Path]:
    """Return the result files of a folder, by name; traces beside them are no results."""
    return sorted(path for path in folder.glob(f"{PREFIX}_*.json") if _NAME.fullmatch(path.name))


def recompute(report: dict[str, Any]) -> list[str]:
    """Derive everything again from the report's raw samples and compare.

    Returns:
        One line for each figure that differs; empty if all agree.
    """
    seed = report["workload"]["seed"]
    cases = analysis.derive_cases(report["cases"], seed)
    fresh = {
        "cases": cases,
        "self_check": analysis.derive_self_check(report["self_check"], seed, len(cases)),
        "link": analysis.derive_link(cases),
    }
    return [line for name in _RECOMPUTED for line in _differences(name, report[name], fresh[name])]


def _differences(where: str, stored: Any, fresh: Any) -> list[str]:
    if isinstance(stored, dict) and isinstance(fresh, dict):
        keys = sorted(stored.keys() | fresh.keys())
        return [d for k in keys for d in _differences(f"{where}/{k}", stored.get(k), fresh.get(k))]
    if isinstance(stored, (list, tuple)) and isinstance(fresh, (list, tuple)) and len(stored) == len(fresh):
        pairs = enumerate(zip(stored, fresh, strict=True))
        return [d for i, (a, b) in pairs for d in _differences(f"{where}/{i}", a, b)]
    if isinstance(stored, float) and isinstance(fresh, float):
        same = abs(stored - fresh) <= 1e-9 * max(1.0, abs(stored), abs(fresh))
    else:
        same = stored == fresh
    return [] if same else [f"{where}: the file says {stored!r}, its raw samples say {fresh!r}"]


def usable_folder(wanted: str | os.PathLike[str]) -> tuple[Path, str]:
    """Return a folder that results can be written to, tried by writing, before anything is measured.

    Returns:
        `wanted` and ""; or a new temporary folder and one line that says why.
    """
    wanted = Path(wanted)
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=wanted, prefix=".partial-"):
            pass
    except OSError as problem:
        other = Path(tempfile.mkdtemp(prefix="overlap-results-"))
        return other, f"{wanted} cannot be written ({problem.strerror or problem}); results go to {other}"
    return wanted, ""
