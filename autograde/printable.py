"""Text that a stranger wrote, fit for a line on a terminal, in a table or in a log."""

import unicodedata

_LONGEST = 500
_NO_NAME = frozenset(("Cc", "Cs", "Zl", "Zp"))
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def is_name(text: str) -> bool:
    """Tell whether a text can be an id: no control characters, nothing that no file or database can hold.

    Example:
        >>> is_name("李　雷"), is_name("ann" + chr(27)), is_name("ann" + chr(0xDCFF))
        (True, False, False)
    """
    return not any(unicodedata.category(char) in _NO_NAME or char in _TURNING for char in text)


def one_line(text: str) -> str:
    """Return a text as one line without control characters, cut where it gets long.

    Line ends become spaces; whatever else does not print (escape sequences, marks that turn the direction
    of writing) becomes a replacement character.

    Example:
        >>> one_line("two" + chr(13) + chr(10) + "lines, " + chr(27) + "[2Kone of them hidden")
        'two lines, �[2Kone of them hidden'
    """
    text = " ".join(text[: 2 * _LONGEST].split())
    text = "".join(char if char.isprintable() else "\ufffd" for char in text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
