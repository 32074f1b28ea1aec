"""The boundary's encoding: plain data as bytes, and back, without trusting a single byte.

Only values cross: no code, no class of the other side, no pickle. The decoder is the boundary. It builds
exact built-in types, numpy arrays and torch tensors from what it reads, bounds sizes, depths and counts,
and raises :class:`MalformedError` for everything else. Containers that can be changed are numbered in the
order in which they are met, on both sides alike: so aliases survive one message, and changes can be copied
back.

Example:
    >>> decode(encode({"hidden_ms": 6.0, "windows": [(1, 4), (3, 7)]}))
    {'hidden_ms': 6.0, 'windows': [(1, 4), (3, 7)]}
"""

from autograde.plain_data.changes import Snapshot, apply_changes
from autograde.plain_data.decoding import Decoder, decode
from autograde.plain_data.encoding import Encoder, encode
from autograde.plain_data.format import (
    DEFAULT_BOUNDS,
    FIELDS,
    FUNCTION,
    LIST_ITERATOR,
    Bounds,
    MalformedError,
    NotPlainError,
    TooManyError,
)
from autograde.plain_data.libraries import loaded

__all__ = [
    "DEFAULT_BOUNDS",
    "FIELDS",
    "FUNCTION",
    "LIST_ITERATOR",
    "Bounds",
    "Decoder",
    "Encoder",
    "MalformedError",
    "NotPlainError",
    "Snapshot",
    "TooManyError",
    "apply_changes",
    "decode",
    "encode",
    "loaded",
]
