"""Text that a stranger wrote, fit for a line on a terminal, in a table or in a log."""

_LONGEST = 500


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
