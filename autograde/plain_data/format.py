"""What both directions of the encoding share: errors, limits, packed numbers."""

import struct
from dataclasses import dataclass
from typing import Any


class NotPlainError(TypeError):
    """A value that cannot cross; the text names its type."""


class TooManyError(NotPlainError):
    """A value that holds more than the encoder was asked for."""


class MalformedError(ValueError):
    """Bytes that are no encoding, or that exceed a limit."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one decoded message may hold.

    Attributes:
        max_bytes: Bytes of the message.
        max_items: Values in it, aliases counted as often as they are met.
        max_depth: Nesting of containers.
        max_int_bytes: Bytes of one integer.
        max_decimal_digits: Digits, and size of the exponent, of one Decimal.
    """

    max_bytes: int = 64 * 2**20
    max_items: int = 2_000_000
    max_depth: int = 64
    max_int_bytes: int = 2**17
    max_decimal_digits: int = 10_000


DEFAULT_BOUNDS = Bounds()

# What a value may be, or have in it, only where it is expected: it could stand for what it is not.
FUNCTION = "a function"
FUNCTION_INSIDE = "a function inside a value"
FIELDS = "a named tuple with the fields "

U32 = struct.Struct("<I")
I64 = struct.Struct("<q")
F64 = struct.Struct("<d")
C128 = struct.Struct("<dd")
FACTORIES: dict[bytes, Any] = {
    b"-": None,
    b"i": int,
    b"f": float,
    b"s": str,
    b"l": list,
    b"d": dict,
    b"S": set,
}
LIST_ITERATOR: type = type(iter([]))
ARRAY_KINDS = frozenset("biufcSUmM")
TORCH_DTYPES = frozenset(
    [
        "bool",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ]
)
