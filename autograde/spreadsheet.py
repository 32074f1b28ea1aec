"""CSV files that spreadsheets open."""

import unicodedata
from typing import Any

# Full-width signs begin a formula too where a spreadsheet's language is Chinese.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def plain_cell(value: Any) -> Any:
    """Keep a spreadsheet from running what a student named a file; numbers stay as they are.

    Control characters, which a terminal would obey, are replaced.

    >>> plain_cell("=1+1"), plain_cell("ann"), plain_cell(-1.5)
    ("'=1+1", 'ann', -1.5)
    """
    if not isinstance(value, str):
        return value
    text = "".join(
        char if char in "\t\r\n" or unicodedata.category(char) != "Cc" else "\ufffd" for char in value
    )
    return f"'{text}" if value.startswith(_FORMULA) else text
