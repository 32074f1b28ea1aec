"""CSV files that spreadsheets open."""

from typing import Any

# Full-width signs begin a formula too where a spreadsheet's language is Chinese.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def plain_cell(value: Any) -> Any:
    """Keep a spreadsheet from running what a student named a file; numbers stay as they are.

    >>> plain_cell("=1+1"), plain_cell("ann"), plain_cell(-1.5)
    ("'=1+1", 'ann', -1.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
