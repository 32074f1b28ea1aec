"""Plain data to bytes."""

import math
import struct
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from copy import copy
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

from autograde.plain_data.format import (
    ARRAY_KINDS,
    C128,
    DEFAULT_BOUNDS,
    FACTORIES,
    LIST_ITERATOR,
    TORCH_DTYPES,
    U32,
    NotPlainError,
    TooManyError,
)
from autograde.plain_data.libraries import loaded

_TAGGED_U32 = struct.Struct("<cI").pack
_TAGGED_I64 = struct.Struct("<cq").pack
_TAGGED_F64 = struct.Struct("<cd").pack
_FACTORY_TAGS = {factory: tag for tag, factory in FACTORIES.items()}


class Encoder:
    """Encodes values into one message; mutable containers met again become references.

    Args:
        hook: Called with a value of no plain type; returns the plain data that stands for it (it crosses as a
            *handle*, which the other side's hook resolves), or raises :class:`NotPlainError`.
        max_depth: Nesting above which a value cannot cross.
        max_items: Values in containers above which it gives up.
    """

    def __init__(
        self,
        hook: Callable[[object], object] | None = None,
        max_depth: int = DEFAULT_BOUNDS.max_depth,
        max_items: float = math.inf,
    ):
        self.buffer = bytearray()
        self.objects: list[Any] = []  # the numbered containers; holding them keeps their ids valid
        self._index: dict[int, int] = {}
        self._hook = hook
        self._max_depth = max_depth
        self._left = max_items
        self._depth = 0

    def number(self, value: object) -> bool:
        """Give a mutable container its number; True if it had one and a reference was written."""
        known = self._index.get(id(value))
        if known is not None:
            self.buffer += b"r" + U32.pack(known)
            return True
        self._index[id(value)] = len(self.objects)
        self.objects.append(value)
        return False

    def put(self, value: object) -> None:
        """Append one value.

        Raises:
            NotPlainError: If the value, or something in it, cannot cross.
        """
        writer = _WRITERS.get(type(value))
        if writer is not None:
            writer(self, value)
        else:
            self._put_other(value)

    def items(self, tag: bytes, values: Iterable[object], count: int) -> None:
        """Append a tag, a count and the values."""
        self._depth += 1
        if self._depth > self._max_depth:
            raise NotPlainError(f"nested deeper than {self._max_depth} levels")
        self._left -= count
        if self._left < 0:
            raise TooManyError("too many values")
        self.buffer += tag + U32.pack(count)
        for value in values:
            self.put(value)
        self._depth -= 1

    def blob(self, tag: bytes, data: bytes | bytearray | memoryview) -> None:
        """Append a tag, a length and bytes."""
        self.buffer += tag + U32.pack(len(data)) + data

    def _put_other(self, value: Any) -> None:
        numpy, torch = sys.modules.get("numpy"), loaded("torch")
        if numpy is not None and type(value) is numpy.ndarray:
            if not self.number(value):
                self.put_array(value)
        elif numpy is not None and isinstance(value, numpy.generic):
            self._put_scalar(value)
        elif torch is not None and type(value) is torch.Tensor:
            if not self.number(value):
                self.put_tensor(value)
        elif isinstance(value, tuple) and _is_namedtuple(type(value)):
            self.items(b"n", (type(value).__name__, *_fields_of(type(value))), 1 + len(value))
            for item in tuple(value):
                self.put(item)
        elif self._hook is not None:
            plain = self._hook(value)
            self.buffer += b"h"
            self.put(plain)
        else:
            raise NotPlainError(type(value).__qualname__)

    def put_array(self, array: Any) -> None:
        """Append a numpy array: dtype, shape, order, bytes."""
        dtype = array.dtype
        if dtype.kind not in ARRAY_KINDS or dtype.itemsize == 0 or dtype.char in "gG":
            raise NotPlainError(f"array of {dtype}")
        fortran = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
        self.blob(b"a", dtype.str.encode())
        self.items(b"t", array.shape, array.ndim)
        self.buffer += b"T" if fortran else b"F"
        self.blob(b"b", array.tobytes(order="F" if fortran else "C"))

    def _put_scalar(self, value: Any) -> None:
        dtype = value.dtype
        if dtype.kind not in ARRAY_KINDS or dtype.itemsize == 0 or dtype.char in "gG":
            raise NotPlainError(f"scalar of {dtype}")
        self.blob(b"g", dtype.str.encode())
        self.blob(b"b", value.tobytes())

    def put_tensor(self, tensor: Any) -> None:
        """Append a torch tensor: dtype, shape, requires_grad, bytes (from the CPU)."""
        torch = sys.modules["torch"]
        name = str(tensor.dtype).removeprefix("torch.")
        if name not in TORCH_DTYPES or tensor.layout != torch.strided:
            raise NotPlainError(f"tensor of {tensor.dtype}, {tensor.layout}")
        flat = tensor.detach().cpu().contiguous().reshape(-1)
        self.blob(b"x", name.encode())
        self.items(b"t", tuple(tensor.shape), tensor.dim())
        self.buffer += b"T" if tensor.requires_grad else b"F"
        self.blob(b"b", flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b"")


def _is_namedtuple(cls: type) -> bool:
    return cls.__bases__ == (tuple,) and hasattr(cls, "_fields")


def _fields_of(cls: Any) -> tuple[str, ...]:
    return tuple(str(name) for name in cls._fields)


def _write_int(encoder: Encoder, value: int) -> None:
    if -(2**63) <= value < 2**63:
        encoder.buffer += _TAGGED_I64(b"i", value)
    else:
        encoder.blob(b"I", value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True))


def _write_list(encoder: Encoder, value: list[Any]) -> None:
    if not encoder.number(value):
        encoder.items(b"l", list(value), len(value))


def _write_dict(encoder: Encoder, value: dict[Any, Any]) -> None:
    if not encoder.number(value):
        put_content(encoder, value)


def put_content(encoder: Encoder, value: Any) -> None:
    """Append what a numbered container holds now, without its number."""
    kind = type(value)
    if kind is list:
        encoder.items(b"l", list(value), len(value))
    elif kind is dict:
        encoder.items(b"d", (part for pair in list(value.items()) for part in pair), len(value))
    elif kind is set:
        encoder.items(b"S", list(value), len(value))
    elif kind is bytearray:
        encoder.blob(b"B", value)
    elif kind is deque:
        encoder.items(b"q", (value.maxlen, *value), 1 + len(value))
    elif kind is defaultdict:
        if value.default_factory not in _FACTORY_TAGS:
            raise NotPlainError(f"defaultdict of {value.default_factory!r}")
        encoder.buffer += b"D" + _FACTORY_TAGS[value.default_factory]
        encoder.items(b"d", (part for pair in list(value.items()) for part in pair), len(value))
    elif kind in (OrderedDict, Counter):
        encoder.buffer += b"O" if kind is OrderedDict else b"C"
        encoder.items(b"d", (part for pair in list(value.items()) for part in pair), len(value))
    elif kind.__module__ == "numpy":
        encoder.put_array(value)
    else:
        encoder.put_tensor(value)


def _write_numbered(encoder: Encoder, value: Any) -> None:
    if not encoder.number(value):
        put_content(encoder, value)


def _write_time(encoder: Encoder, value: Any) -> None:
    if getattr(value, "tzinfo", None) is not None and type(value.tzinfo) is not timezone:
        raise NotPlainError(f"{type(value).__name__} with {type(value.tzinfo).__name__}")
    tag = {date: b"yd", datetime: b"yD", time: b"yt"}[type(value)]
    encoder.blob(tag, f"{value.isoformat()}|{getattr(value, 'fold', 0)}".encode())


def _write_fraction(encoder: Encoder, value: Fraction) -> None:
    encoder.buffer += b"f"
    _write_int(encoder, value.numerator)
    _write_int(encoder, value.denominator)


def _write_slice(encoder: Encoder, value: Any) -> None:
    encoder.items(b"R" if type(value) is range else b"L", (value.start, value.stop, value.step), 3)


def _write_view(tag: bytes) -> Callable[[Encoder, Any], None]:
    return lambda encoder, value: encoder.items(tag, list(value), len(value))


def _write_pairs(encoder: Encoder, value: Any) -> None:
    encoder.items(b"P", (part for pair in list(value) for part in pair), len(value))


def _write_list_iterator(encoder: Encoder, value: Any) -> None:
    left = list(copy(value))
    encoder.items(b"j", left, len(left))


def _constant(tag: bytes) -> Callable[[Encoder, Any], None]:
    def write(encoder: Encoder, value: object) -> None:
        encoder.buffer += tag

    return write


def _write_bool(encoder: Encoder, value: bool) -> None:
    encoder.buffer += b"T" if value else b"F"


def _write_float(encoder: Encoder, value: float) -> None:
    encoder.buffer += _TAGGED_F64(b"e", value)


def _write_complex(encoder: Encoder, value: complex) -> None:
    encoder.buffer += b"c" + C128.pack(value.real, value.imag)


def _write_str(encoder: Encoder, value: str) -> None:
    data = value.encode("utf-8", "surrogatepass")
    encoder.buffer += _TAGGED_U32(b"s", len(data)) + data


_WRITERS: dict[type, Callable[[Encoder, Any], None]] = {
    type(None): _constant(b"N"),
    type(...): _constant(b"."),
    bool: _write_bool,
    int: _write_int,
    float: _write_float,
    complex: _write_complex,
    str: _write_str,
    bytes: lambda encoder, value: encoder.blob(b"b", value),
    tuple: lambda encoder, value: encoder.items(b"t", value, len(value)),
    frozenset: lambda encoder, value: encoder.items(b"z", value, len(value)),
    list: _write_list,
    dict: _write_dict,
    **dict.fromkeys((set, bytearray, deque, defaultdict, OrderedDict, Counter), _write_numbered),
    range: _write_slice,
    slice: _write_slice,
    Fraction: _write_fraction,
    Decimal: lambda encoder, value: encoder.blob(b"m", str(value).encode()),
    date: _write_time,
    datetime: _write_time,
    time: _write_time,
    type({}.keys()): _write_view(b"K"),
    type({}.values()): _write_view(b"V"),
    type({}.items()): _write_pairs,
    LIST_ITERATOR: _write_list_iterator,
    timedelta: lambda encoder, value: encoder.items(b"w", (value.days, value.seconds, value.microseconds), 3),
}


def encode(value: object, hook: Callable[[object], object] | None = None) -> bytes:
    """Return the encoding of one value.

    Raises:
        NotPlainError: If the value, or something in it, cannot cross.
    """
    encoder = Encoder(hook)
    encoder.put(value)
    return bytes(encoder.buffer)
