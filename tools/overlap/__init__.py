"""The stream experiment of chapter 03: does a copy really hide behind compute, and by how much?

The notebook configures (`Settings`), runs (`run_and_write`), reads (`read`), draws (`save_pictures`) and
compares with theory (`from_intervals`, `from_link`). `python -m tools.overlap` does the same from a shell.
"""

from tools.overlap.errors import DeviceError, OverlapError, ResultFileError, SettingsError
from tools.overlap.experiment import run_experiment
from tools.overlap.pictures import draw_ratios, draw_timelines, save_pictures
from tools.overlap.record import run_and_write
from tools.overlap.result_file import read, recompute, usable_folder
from tools.overlap.settings import Settings
from tools.overlap.summary import case_table, controls, summary, table
from tools.overlap.theory import from_intervals, from_link
from tools.overlap.trace import write_trace

__all__ = [
    "DeviceError",
    "OverlapError",
    "ResultFileError",
    "Settings",
    "SettingsError",
    "case_table",
    "controls",
    "draw_ratios",
    "draw_timelines",
    "from_intervals",
    "from_link",
    "read",
    "recompute",
    "run_and_write",
    "run_experiment",
    "save_pictures",
    "summary",
    "table",
    "usable_folder",
    "write_trace",
]
