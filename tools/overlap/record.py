"""Run and record: the result's file, and the folder's table where it keeps one."""

import tempfile
from pathlib import Path
from typing import Any

from tools.overlap import asset_table, result_file
from tools.overlap.errors import ResultFileError
from tools.overlap.experiment import run_experiment
from tools.overlap.settings import Settings


def run_and_write(settings: Settings, folder: Path, **options: Any) -> tuple[dict[str, Any], Path]:
    """Run the experiment and write its result; refresh the folder's table if it has one.

    A folder that can no longer be written when the measurement is done does not cost the measurement.

    Args:
        settings: What to measure.
        folder: Where results lie.
        **options: For `experiment.run_experiment`.

    Returns:
        The report as it was read back from its file, and the file's path.

    Raises:
        ResultFileError: If the result cannot be written, neither there nor in a temporary folder.
    """
    report = run_experiment(settings, **options)
    try:
        path = result_file.write(report, folder)
    except ResultFileError as problem:
        if not isinstance(problem.__cause__, OSError):
            raise
        path = result_file.write(report, Path(tempfile.mkdtemp(prefix="overlap-results-")))
        print(f"{problem}. Nothing is lost: this one lies in {path}")
    if (path.parent / asset_table.NAME).is_file():
        _refresh(path.parent)
    return result_file.read(path), path


def _refresh(folder: Path) -> None:
    try:
        asset_table.write(folder)
    except (ResultFileError, OSError) as problem:  # another file's fault must not spoil this run
        print(f"{folder / asset_table.NAME} was not refreshed: {problem}")
