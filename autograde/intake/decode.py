"""From bytes to text: which encoding a student's file has."""

import codecs
from dataclasses import dataclass
from itertools import islice

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# A damaged UTF-8 file has few bad bytes among its other non-ASCII text; a file in another encoding has many.
_MAX_DAMAGE = 0.1
_ENOUGH = 10_000  # characters that tell one code page from another


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text and how it was encoded.

    Attributes:
        text: The text.
        repair: What was unusual about the encoding; "" for plain UTF-8.
    """

    text: str
    repair: str = ""


def decode(content: bytes) -> Decoded:
    """Decode a file of unknown encoding; never fails.

    Example:
        >>> decode("é".encode("utf-16")).repair
        'read as utf-16-le, with a byte order mark'
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_other(content)
    if text.startswith("\ufeff"):
        return Decoded(text.lstrip("\ufeff"), "byte order mark removed")
    wide = _wide_without_bom(content) if "\0" in text[:64] else ""
    return Decoded(content.decode(wide, "replace"), f"read as {wide}") if wide else Decoded(text)


def _decode_other(content: bytes) -> Decoded:
    for bom, name in _BOMS:
        if content.startswith(bom) and name != "utf-8":
            text = content[len(bom) :].decode(name, "replace")
            return Decoded(text, f"read as {name}, with a byte order mark")
    wide = _wide_without_bom(content)
    if wide:
        return Decoded(content.decode(wide, "replace"), f"read as {wide}")
    text = content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    foreign = sum(char > "\x7f" for char in text)
    if damaged <= _MAX_DAMAGE * foreign:
        return Decoded(text, f"UTF-8 with {damaged} broken characters, shown as \ufffd")
    return _decode_legacy(content)


def _wide_without_bom(content: bytes) -> str:
    """Recognise UTF-16 and UTF-32 by where the zero bytes of the first ASCII characters lie."""
    head = content[:64]
    zero = [not byte for byte in head]
    if len(head) < 8 or sum(zero) < len(head) // 4:
        return ""
    patterns: dict[tuple[bool, ...], str] = {
        (False, True, True, True): "utf-32-le",
        (True, True, True, False): "utf-32-be",
        (False, True, False, True): "utf-16-le",
        (True, False, True, False): "utf-16-be",
    }
    return patterns.get(tuple(zero[:4]), "")


def _decode_legacy(content: bytes) -> Decoded:
    """Decide between the Chinese and the Western code page of older Windows programs."""
    try:
        text = content.decode("gb18030")
    except UnicodeDecodeError:
        text = ""
    foreign = [char.encode("gb18030") for char in islice(filter("\x7f".__lt__, text), _ENOUGH)]
    # Chinese has its second byte in the upper half too; in Western text an accent stands before a letter.
    upper = sum(len(pair) == 2 and pair[1] >= 0xA1 for pair in foreign)
    if foreign and upper >= 0.8 * len(foreign):
        return Decoded(text, "read as GB18030")
    try:
        return Decoded(content.decode("cp1252"), "read as Windows-1252 (Latin-1)")
    except UnicodeDecodeError:
        return Decoded(content.decode("latin-1"), "read as Latin-1")
