"""How each kind of value is read, whatever an adversary may have written."""

import importlib
import keyword
import re
import sys
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from struct import Struct
from types import FunctionType
from typing import Any, Protocol

from autograde.plain_data.format import ARRAY_KINDS, FACTORIES, FIELDS, TORCH_DTYPES, U32, MalformedError


class Source(Protocol):
    """What a reader reads from: the decoder."""

    def take(self, count: int) -> bytes:
        """Read bytes."""
        ...

    def unpack(self, packed: Struct) -> Any:
        """Read one packed number."""
        ...

    def blob(self) -> bytes:
        """Read a length and that many bytes."""
        ...

    def get(self) -> Any:
        """Read one value."""
        ...

    def tagged(self, tag: bytes) -> Any:
        """Read one value that must have this tag."""
        ...

    def items(self) -> list[Any]:
        """Read a count and that many values."""
        ...

    def sequence(self, count: int) -> list[Any]:
        """Read that many values."""
        ...

    def special(self, what: str) -> None:
        """Check that the message may hold something that could lie about its type."""
        ...


Reader = Callable[[Any], Any]
_MOST_STEPS = 2**24  # of a range: a test that goes through one cannot be interrupted
_DTYPE = re.compile(
    rb"[<>|](?:[biufcSU]\d{1,9}|[mM]8(?:\[\d{0,9}[A-Za-z]{1,2}\])?)"
)  # as `dtype.str` gives it


def read_pairs(decoder: Source) -> list[tuple[Any, Any]]:
    """Read a count and that many pairs of key and value."""
    count = decoder.unpack(U32)
    flat = decoder.sequence(2 * count)
    return list(zip(flat[::2], flat[1::2], strict=True))


def fill(target: Any, pairs: list[tuple[Any, Any]]) -> Any:
    """Fill a mapping with pairs, no key twice."""
    for key, value in pairs:  # item by item: a deadline can interrupt keys that were made to collide
        target[key] = value
    if len(target) != len(pairs):
        raise MalformedError("a key twice")
    return target


def read_set(decoder: Source) -> set[Any]:
    """Read the members of a set."""
    values = decoder.items()
    result: set[Any] = set()
    for value in values:
        result.add(value)
    if len(result) != len(values):
        raise MalformedError("a member twice")
    return result


def read_deque(decoder: Source) -> deque[Any]:
    """Read a deque: its greatest length, then its items."""
    maxlen, *values = decoder.items() or [-1]
    if maxlen is not None and (type(maxlen) is not int or not len(values) <= maxlen < 2**63):
        raise MalformedError("deque's length")
    return deque(values, maxlen)


def read_defaultdict(decoder: Source) -> Any:
    """Read a defaultdict whose factory is one of a few."""
    tag = decoder.take(1)
    if tag not in FACTORIES or decoder.take(1) != b"d":
        raise MalformedError("defaultdict")
    return fill(defaultdict(FACTORIES[tag]), read_pairs(decoder))


def read_dict_like(kind: type) -> Reader:
    """Return a reader of a subclass of dict that takes no arguments."""

    def read(decoder: Source) -> Any:
        if decoder.take(1) != b"d":
            raise MalformedError(kind.__name__)
        return fill(kind(), read_pairs(decoder))

    return read


def _dtype(text: bytes) -> Any:
    numpy: Any = importlib.import_module("numpy")
    if not _DTYPE.fullmatch(text):
        raise MalformedError(f"dtype {text[:32]!r}")
    dtype = numpy.dtype(text.decode("ascii"))
    if dtype.kind not in ARRAY_KINDS or dtype.itemsize == 0 or dtype.shape or dtype.char in "gG":
        raise MalformedError(f"dtype {text!r}")
    return dtype


def _check_text(array: Any) -> None:
    """Refuse texts with code points that there are not: Python crashes or errs on them later."""
    if array.dtype.kind == "U" and array.size:
        numpy = sys.modules["numpy"]
        points = numpy.ndarray((array.nbytes // 4,), array.dtype.byteorder + "u4", array)
        if points.max(initial=0) > sys.maxunicode:
            raise MalformedError("a text with an impossible character")


def _shape(decoder: Source) -> tuple[tuple[int, ...], int]:
    shape = decoder.tagged(b"t")
    if len(shape) > 32 or not all(type(n) is int and 0 <= n < 2**40 for n in shape):
        raise MalformedError("shape")
    count = 1
    for size in shape:
        count *= size
    return shape, count


def read_array(decoder: Source) -> Any:
    """Read a numpy array."""
    dtype = _dtype(decoder.blob())
    shape, count = _shape(decoder)
    order = "F" if decoder.get() is True else "C"
    data = decoder.tagged(b"b")
    if len(data) != count * dtype.itemsize:
        raise MalformedError("array's bytes do not fit its shape")
    numpy = sys.modules["numpy"]
    array = numpy.ndarray(shape, dtype, bytearray(data), order=order)
    _check_text(array.reshape(-1, order=order))
    return array


def read_scalar(decoder: Source) -> Any:
    """Read a numpy scalar."""
    dtype = _dtype(decoder.blob())
    data = decoder.tagged(b"b")
    if len(data) != dtype.itemsize:
        raise MalformedError("scalar's bytes")
    array = sys.modules["numpy"].ndarray((), dtype, data)
    _check_text(array)
    return array[()]


def read_tensor(decoder: Source) -> Any:
    """Read a torch tensor."""
    name = decoder.blob().decode("ascii")
    shape, count = _shape(decoder)
    wants_grad = decoder.get()
    data = decoder.tagged(b"b")
    if name not in TORCH_DTYPES or type(wants_grad) is not bool:
        raise MalformedError("tensor")
    torch: Any = importlib.import_module("torch")
    dtype = getattr(torch, name)
    if len(data) != count * dtype.itemsize:
        raise MalformedError("tensor's bytes do not fit its shape")
    if wants_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise MalformedError("tensor's gradient")
    flat = torch.frombuffer(bytearray(data), dtype=dtype) if data else torch.empty(0, dtype=dtype)
    return flat.reshape(shape).requires_grad_(wants_grad)


_PLAIN_TYPES = (
    bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, range, slice, deque,
    defaultdict, OrderedDict, Counter, Fraction, Decimal, date, datetime, time, timedelta, FunctionType,
)  # fmt: skip


@lru_cache(maxsize=64)
def _class_of(name: str, fields: tuple[str, ...]) -> Any:
    return namedtuple(name, fields)


def read_namedtuple(decoder: Source) -> Any:
    """Read a named tuple, as one of a class made from its name and fields.

    A field must not pass for a method: neither by what it is, nor, unless it is expected, by its name.
    """
    count = decoder.unpack(U32)
    if not 1 <= count <= 256:
        raise MalformedError("namedtuple's fields")
    names = decoder.sequence(count)
    if not all(_is_field(name) for name in names) or len(set(names[1:])) != count - 1:
        raise MalformedError("namedtuple's fields")
    if not _attributes_of_plain_types("torch" in sys.modules).isdisjoint(names[1:]):
        decoder.special(FIELDS + " ".join(names[1:]))
    values = decoder.sequence(count - 1)
    if any(callable(value) for value in values):
        raise MalformedError("a function as a field of a named tuple")
    return _class_of(names[0], tuple(names[1:]))(*values)


@lru_cache(maxsize=2)
def _attributes_of_plain_types(with_torch: bool) -> frozenset[str]:
    numpy: Any = importlib.import_module("numpy")
    kinds = [*_PLAIN_TYPES, numpy.ndarray, numpy.float64, numpy.str_, numpy.datetime64]
    if with_torch:
        kinds.append(sys.modules["torch"].Tensor)
    return frozenset(name for kind in kinds for name in dir(kind))


def _is_field(name: object) -> bool:
    return (
        type(name) is str
        and len(name) <= 64
        and name.isidentifier()
        and not name.startswith("_")
        and not keyword.iskeyword(name)
    )


def read_fraction(decoder: Source) -> Fraction:
    """Read a Fraction."""
    numerator, denominator = decoder.get(), decoder.get()
    if type(numerator) is not int or type(denominator) is not int or denominator <= 0:
        raise MalformedError("Fraction")
    return Fraction(numerator, denominator)


def read_time(decoder: Source) -> Any:
    """Read a date, a time, or both."""
    tag, data = decoder.take(1), decoder.blob()
    kind: Any = {b"d": date, b"D": datetime, b"t": time}.get(tag)
    text, bar, fold = data.decode("ascii").partition("|")
    if kind is None or not bar or fold not in ("0", "1"):
        raise MalformedError("date or time")
    value = kind.fromisoformat(text)
    return value if kind is date else value.replace(fold=int(fold))


def read_timedelta(decoder: Source) -> timedelta:
    """Read a timedelta."""
    parts = decoder.items()
    if len(parts) != 3 or not all(type(part) is int for part in parts):
        raise MalformedError("timedelta")
    return timedelta(*parts)


def read_slice(decoder: Source) -> slice:
    """Read a slice."""
    parts = decoder.items()
    if len(parts) != 3:
        raise MalformedError("slice")
    return slice(*parts)


def read_range(decoder: Source) -> range:
    """Read a range."""
    parts = decoder.items()
    if len(parts) != 3 or not all(type(part) is int for part in parts):
        raise MalformedError("range")
    value = range(*parts)
    if len(value) > _MOST_STEPS:
        raise MalformedError("range of too many numbers")
    return value
