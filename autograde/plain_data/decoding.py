"""Bytes to plain data: the boundary itself. Every byte may have been written by an adversary."""

import importlib
import keyword
import sys
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal, DecimalException
from fractions import Fraction
from functools import lru_cache
from typing import Any

from autograde.plain_data.format import (
    ARRAY_KINDS,
    C128,
    DEFAULT_BOUNDS,
    F64,
    FACTORIES,
    I64,
    TORCH_DTYPES,
    U32,
    Bounds,
    MalformedError,
)

_Reader = Callable[["Decoder"], Any]


class Decoder:
    """Reads values from one message, in the order in which they were put.

    Args:
        data: The message.
        bounds: What it may hold.
        hook: Turns the plain data of a handle into the object that stands for it; None: handles are malformed.
        objects: Containers that are numbered already (the arguments of a call), so that references reach them.
    """

    def __init__(
        self,
        data: bytes,
        bounds: Bounds = DEFAULT_BOUNDS,
        hook: Callable[[Any], object] | None = None,
        objects: Sequence[Any] = (),
    ):
        if len(data) > bounds.max_bytes:
            raise MalformedError(f"{len(data)} bytes, more than {bounds.max_bytes}")
        self.objects: list[Any] = list(objects)
        self._weights: list[int | None] = [1] * len(self.objects)  # None: still being read
        self._data = data
        self._at = 0
        self._bounds = bounds
        self._hook = hook
        self._depth = 0
        self._items = 0

    def get(self) -> Any:
        """Read one value.

        Raises:
            MalformedError: If what follows is no encoding of a value, or exceeds a bound.
        """
        self._weigh(1)
        reader = _READERS.get(self.take(1))
        if reader is None:
            raise MalformedError(f"unknown tag at byte {self._at - 1}")
        return reader(self)

    def content(self) -> Any:
        """Read what a container holds that has its number already.

        Raises:
            MalformedError: If what follows is no container.
        """
        self._weigh(1)
        reader = _CONTAINERS.get(self.take(1))
        if reader is None:
            raise MalformedError("container expected")
        return reader(self)

    def finish(self) -> None:
        """Check that the message has been read to its end.

        Raises:
            MalformedError: If bytes are left.
        """
        if self._at != len(self._data):
            raise MalformedError(f"{len(self._data) - self._at} bytes after the value")

    def take(self, count: int) -> bytes:
        """Read bytes."""
        end = self._at + count
        if end > len(self._data):
            raise MalformedError("cut short")
        piece = self._data[self._at : end]
        self._at = end
        return piece

    def blob(self) -> bytes:
        """Read a length and that many bytes."""
        return self.take(U32.unpack(self.take(4))[0])

    def tagged(self, tag: bytes) -> Any:
        """Read one value that must have this tag."""
        if self._data[self._at : self._at + 1] != tag:
            raise MalformedError(f"tag {tag!r} expected at byte {self._at}")
        return self.get()

    def items(self) -> list[Any]:
        """Read a count and that many values."""
        count = U32.unpack(self.take(4))[0]
        return self._sequence(count)

    def _sequence(self, count: int) -> list[Any]:
        if count > len(self._data) - self._at:  # a value takes a byte at least
            raise MalformedError("count exceeds the message")
        self._depth += 1
        if self._depth > self._bounds.max_depth:
            raise MalformedError(f"nested deeper than {self._bounds.max_depth} levels")
        values = [self.get() for _ in range(count)]
        self._depth -= 1
        return values

    def _weigh(self, count: int) -> None:
        self._items += count
        if self._items > self._bounds.max_items:
            raise MalformedError(f"more than {self._bounds.max_items} values")

    def reference(self) -> Any:
        """Read a reference to a numbered container that is complete."""
        number = U32.unpack(self.take(4))[0]
        weight = self._weights[number] if number < len(self._weights) else None
        if weight is None:
            raise MalformedError("reference to an unknown or unfinished container")
        self._weigh(weight)
        return self.objects[number]

    def container(self, read: Callable[["Decoder"], Any]) -> Any:
        """Read a container that takes the next number."""
        number, before = len(self.objects), self._items
        self.objects.append(None)
        self._weights.append(None)
        value = read(self)
        self.objects[number] = value
        self._weights[number] = self._items - before + 1
        return value

    def integer(self) -> int:
        """Read a large integer."""
        data = self.blob()
        if len(data) > self._bounds.max_int_bytes:
            raise MalformedError(f"integer of {len(data)} bytes")
        return int.from_bytes(data, "little", signed=True)

    def decimal(self) -> Decimal:
        """Read a Decimal whose digits and exponent are bounded (a huge exponent would become a huge integer)."""
        data, limit = self.blob(), self._bounds.max_decimal_digits
        if len(data) > limit:
            raise MalformedError("Decimal too long")
        value = Decimal(data.decode("ascii"))
        if value.is_finite() and abs(value.adjusted()) > limit:
            raise MalformedError("Decimal's exponent too large")
        return value

    def handle(self) -> object:
        """Read a handle and let the hook resolve it."""
        if self._hook is None:
            raise MalformedError("handle not expected")
        return self._hook(self.get())


def _read_pairs(decoder: Decoder) -> list[tuple[Any, Any]]:
    count = U32.unpack(decoder.take(4))[0]
    flat = decoder._sequence(2 * count)
    return list(zip(flat[::2], flat[1::2], strict=True))


def _fill(target: Any, pairs: list[tuple[Any, Any]]) -> Any:
    for key, value in pairs:  # item by item: a deadline can interrupt keys that were made to collide
        target[key] = value
    if len(target) != len(pairs):
        raise MalformedError("a key twice")
    return target


def _read_set(decoder: Decoder) -> set[Any]:
    values = decoder.items()
    result: set[Any] = set()
    for value in values:
        result.add(value)
    if len(result) != len(values):
        raise MalformedError("a member twice")
    return result


def _read_deque(decoder: Decoder) -> deque[Any]:
    maxlen, *values = decoder.items() or [-1]
    if maxlen is not None and (type(maxlen) is not int or not len(values) <= maxlen < 2**63):
        raise MalformedError("deque's length")
    return deque(values, maxlen)


def _read_defaultdict(decoder: Decoder) -> Any:
    tag = decoder.take(1)
    if tag not in FACTORIES or decoder.take(1) != b"d":
        raise MalformedError("defaultdict")
    return _fill(defaultdict(FACTORIES[tag]), _read_pairs(decoder))


def _read_dict_like(kind: type) -> _Reader:
    def read(decoder: Decoder) -> Any:
        if decoder.take(1) != b"d":
            raise MalformedError(kind.__name__)
        return _fill(kind(), _read_pairs(decoder))

    return read


def _dtype(text: bytes) -> Any:
    numpy: Any = importlib.import_module("numpy")
    if len(text) > 32:
        raise MalformedError("dtype")
    dtype = numpy.dtype(text.decode("ascii"))
    if dtype.kind not in ARRAY_KINDS or dtype.itemsize == 0 or dtype.shape or dtype.char in "gG":
        raise MalformedError(f"dtype {text!r}")
    return dtype


def _shape(decoder: Decoder) -> tuple[tuple[int, ...], int]:
    shape = decoder.tagged(b"t")
    if len(shape) > 32 or not all(type(n) is int and 0 <= n < 2**40 for n in shape):
        raise MalformedError("shape")
    count = 1
    for size in shape:
        count *= size
    return shape, count


def _read_array(decoder: Decoder) -> Any:
    dtype = _dtype(decoder.blob())
    shape, count = _shape(decoder)
    order = "F" if decoder.get() is True else "C"
    data = decoder.tagged(b"b")
    if len(data) != count * dtype.itemsize:
        raise MalformedError("array's bytes do not fit its shape")
    numpy = sys.modules["numpy"]
    return numpy.ndarray(shape, dtype, bytearray(data), order=order)


def _read_scalar(decoder: Decoder) -> Any:
    dtype = _dtype(decoder.blob())
    data = decoder.tagged(b"b")
    if len(data) != dtype.itemsize:
        raise MalformedError("scalar's bytes")
    return sys.modules["numpy"].ndarray((), dtype, data)[()]


def _read_tensor(decoder: Decoder) -> Any:
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


@lru_cache(maxsize=64)
def _namedtuple(name: str, fields: tuple[str, ...]) -> Any:
    return namedtuple(name, fields)


def _read_namedtuple(decoder: Decoder) -> Any:
    count = U32.unpack(decoder.take(4))[0]
    if not 1 <= count <= 256:
        raise MalformedError("namedtuple's fields")
    names = decoder._sequence(count)
    if not all(_is_field(name) for name in names) or len(set(names[1:])) != count - 1:
        raise MalformedError("namedtuple's fields")
    return _namedtuple(names[0], tuple(names[1:]))(*decoder._sequence(count - 1))


def _is_field(name: object) -> bool:
    return (
        type(name) is str
        and len(name) <= 64
        and name.isidentifier()
        and not name.startswith("_")
        and not keyword.iskeyword(name)
    )


def _read_fraction(decoder: Decoder) -> Fraction:
    numerator, denominator = decoder.get(), decoder.get()
    if type(numerator) is not int or type(denominator) is not int or denominator <= 0:
        raise MalformedError("Fraction")
    return Fraction(numerator, denominator)


def _read_time(decoder: Decoder) -> Any:
    tag, data = decoder.take(1), decoder.blob()
    kind: Any = {b"d": date, b"D": datetime, b"t": time}.get(tag)
    text, bar, fold = data.decode("ascii").partition("|")
    if kind is None or not bar or fold not in ("0", "1"):
        raise MalformedError("date or time")
    value = kind.fromisoformat(text)
    return value if kind is date else value.replace(fold=int(fold))


def _read_timedelta(decoder: Decoder) -> timedelta:
    parts = decoder.items()
    if len(parts) != 3 or not all(type(part) is int for part in parts):
        raise MalformedError("timedelta")
    return timedelta(*parts)


def _read_slice(decoder: Decoder) -> slice:
    parts = decoder.items()
    if len(parts) != 3:
        raise MalformedError("slice")
    return slice(*parts)


def _read_range(decoder: Decoder) -> range:
    parts = decoder.items()
    if len(parts) != 3 or not all(type(part) is int for part in parts):
        raise MalformedError("range")
    return range(*parts)


_CONTAINERS: dict[bytes, _Reader] = {
    b"l": Decoder.items,
    b"d": lambda decoder: _fill({}, _read_pairs(decoder)),
    b"S": _read_set,
    b"B": lambda decoder: bytearray(decoder.blob()),
    b"q": _read_deque,
    b"D": _read_defaultdict,
    b"O": _read_dict_like(OrderedDict),
    b"C": _read_dict_like(Counter),
    b"a": _read_array,
    b"x": _read_tensor,
}


def _numbered(read: _Reader) -> _Reader:
    return lambda decoder: decoder.container(read)


_READERS: dict[bytes, _Reader] = {
    b"N": lambda decoder: None,
    b".": lambda decoder: ...,
    b"T": lambda decoder: True,
    b"F": lambda decoder: False,
    b"i": lambda decoder: I64.unpack(decoder.take(8))[0],
    b"I": Decoder.integer,
    b"e": lambda decoder: F64.unpack(decoder.take(8))[0],
    b"c": lambda decoder: complex(*C128.unpack(decoder.take(16))),
    b"s": lambda decoder: decoder.blob().decode("utf-8", "surrogatepass"),
    b"b": Decoder.blob,
    b"t": lambda decoder: tuple(decoder.items()),
    b"z": lambda decoder: frozenset(_read_set(decoder)),
    b"n": _read_namedtuple,
    **{tag: _numbered(read) for tag, read in _CONTAINERS.items()},
    b"g": _read_scalar,
    b"f": _read_fraction,
    b"m": Decoder.decimal,
    b"y": _read_time,
    b"w": _read_timedelta,
    b"R": _read_range,
    b"L": _read_slice,
    b"r": Decoder.reference,
    b"h": Decoder.handle,
}

# What the standard library and numpy raise when a well-formed message holds impossible values.
_BAD_VALUES = (
    ValueError,
    TypeError,
    OverflowError,
    ArithmeticError,
    DecimalException,
    RecursionError,
    LookupError,
)


def decode(data: bytes, bounds: Bounds = DEFAULT_BOUNDS, hook: Callable[[Any], object] | None = None) -> Any:
    """Return the one value that a message holds.

    Raises:
        MalformedError: If the bytes are no encoding of one value, or exceed a bound.
    """
    return read_safely(Decoder(data, bounds, hook), Decoder.get)


def read_safely(decoder: Decoder, read: _Reader) -> Any:
    """Read with `read`, to the message's end.

    Raises:
        MalformedError: Whatever is wrong with the message.
    """
    try:
        value = read(decoder)
        decoder.finish()
    except MalformedError:
        raise
    except _BAD_VALUES as error:
        raise MalformedError(f"{type(error).__name__}: {error}"[:200]) from None
    return value
