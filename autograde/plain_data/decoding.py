"""Bytes to plain data: the boundary itself. Every byte may have been written by an adversary."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from decimal import Decimal
from struct import Struct
from typing import Any

from autograde.plain_data import values
from autograde.plain_data.format import (
    C128,
    DEFAULT_BOUNDS,
    F64,
    FUNCTION,
    FUNCTION_INSIDE,
    I64,
    U32,
    Bounds,
    MalformedError,
)
from autograde.plain_data.values import Reader


class Decoder:
    """Reads values from one message, in the order in which they were put.

    Args:
        data: The message.
        bounds: What it may hold.
        hook: Turns the plain data of a handle into what stands for it; None: handles are malformed.
        objects: Containers that are numbered already: the arguments of a call.
        admit: Asked whether the message may hold a thing that could lie about its type: `FUNCTION`,
            `FUNCTION_INSIDE`, or `FIELDS` and the fields of a named tuple that are attributes of plain types
            too. None: it may not.
    """

    def __init__(
        self,
        data: bytes,
        bounds: Bounds = DEFAULT_BOUNDS,
        hook: Callable[[Any], object] | None = None,
        objects: Sequence[Any] = (),
        admit: Callable[[str], bool] | None = None,
    ):
        if len(data) > bounds.max_bytes:
            raise MalformedError(f"{len(data)} bytes, more than {bounds.max_bytes}")
        self.objects: list[Any] = list(objects)
        self._weights: list[int | None] = [1] * len(self.objects)  # None: still being read
        self._data = data
        self._size = len(data)
        self._at = 0
        self._bounds = bounds
        self._hook = hook
        self._admit = admit
        self._depth = 0
        self._items = 0
        self._max_items = bounds.max_items

    def get(self) -> Any:
        """Read one value.

        Raises:
            MalformedError: If what follows is no encoding of a value, or exceeds a bound.
        """
        self._items += 1
        if self._items > self._max_items:
            raise self._too_many()
        at = self._at
        self._at = at + 1
        reader = _READERS.get(self._data[at : at + 1])
        if reader is None:
            raise MalformedError(f"unknown tag at byte {at}")
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
        if self._at != self._size:
            raise MalformedError(f"{self._size - self._at} bytes after the value")

    def take(self, count: int) -> bytes:
        """Read bytes."""
        at = self._at
        self._at = end = at + count
        if end > self._size:
            raise MalformedError("cut short")
        return self._data[at:end]

    def unpack(self, packed: Struct) -> Any:
        """Read one packed number."""
        at = self._at
        self._at = end = at + packed.size
        if end > self._size:
            raise MalformedError("cut short")
        return packed.unpack_from(self._data, at)[0]

    def blob(self) -> bytes:
        """Read a length and that many bytes."""
        return self.take(self.unpack(U32))

    def tagged(self, tag: bytes) -> Any:
        """Read one value that must have this tag."""
        if self._data[self._at : self._at + 1] != tag:
            raise MalformedError(f"tag {tag!r} expected at byte {self._at}")
        return self.get()

    def items(self) -> list[Any]:
        """Read a count and that many values."""
        return self.sequence(self.unpack(U32))

    def sequence(self, count: int) -> list[Any]:
        """Read that many values."""
        if count > self._size - self._at:  # a value takes a byte at least
            raise MalformedError("count exceeds the message")
        self._depth += 1
        if self._depth > self._bounds.max_depth:
            raise MalformedError(f"nested deeper than {self._bounds.max_depth} levels")
        values = [self.get() for _ in range(count)]
        self._depth -= 1
        return values

    def _weigh(self, count: int) -> None:
        self._items += count
        if self._items > self._max_items:
            raise self._too_many()

    def _too_many(self) -> MalformedError:
        return MalformedError(f"more than {self._max_items} values")

    def reference(self) -> Any:
        """Read a reference to a numbered container that is complete."""
        number = self.unpack(U32)
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
        """Read a Decimal; a huge exponent would become a huge integer somewhere."""
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
        self.special(FUNCTION if self._depth == 0 else FUNCTION_INSIDE)
        return self._hook(self.get())

    def special(self, what: str) -> None:
        """Check that the message may hold something that could lie about its type.

        Raises:
            MalformedError: If it may not.
        """
        if self._admit is None or not self._admit(what):
            raise MalformedError(f"{what}: the solution gives no such thing")


_CONTAINERS: dict[bytes, Reader] = {
    b"l": Decoder.items,
    b"d": lambda decoder: values.fill({}, values.read_pairs(decoder)),
    b"S": values.read_set,
    b"B": lambda decoder: bytearray(decoder.blob()),
    b"q": values.read_deque,
    b"D": values.read_defaultdict,
    b"O": values.read_dict_like(OrderedDict),
    b"C": values.read_dict_like(Counter),
    b"a": values.read_array,
    b"x": values.read_tensor,
}


def _numbered(read: Reader) -> Reader:
    return lambda decoder: decoder.container(read)


_READERS: dict[bytes, Reader] = {
    b"N": lambda decoder: None,
    b".": lambda decoder: ...,
    b"T": lambda decoder: True,
    b"F": lambda decoder: False,
    b"i": lambda decoder: decoder.unpack(I64),
    b"I": Decoder.integer,
    b"e": lambda decoder: decoder.unpack(F64),
    b"c": lambda decoder: complex(*C128.unpack(decoder.take(16))),
    b"s": lambda decoder: decoder.blob().decode("utf-8", "surrogatepass"),
    b"b": Decoder.blob,
    b"t": lambda decoder: tuple(decoder.items()),
    b"z": lambda decoder: frozenset(values.read_set(decoder)),
    b"n": values.read_namedtuple,
    **{tag: _numbered(read) for tag, read in _CONTAINERS.items()},
    b"g": values.read_scalar,
    b"f": values.read_fraction,
    b"m": Decoder.decimal,
    b"y": values.read_time,
    b"w": values.read_timedelta,
    b"R": values.read_range,
    b"L": values.read_slice,
    b"K": lambda decoder: values.fill({}, [(key, None) for key in decoder.items()]).keys(),
    b"V": lambda decoder: dict(enumerate(decoder.items())).values(),
    b"P": lambda decoder: values.fill({}, values.read_pairs(decoder)).items(),
    b"j": lambda decoder: iter(decoder.items()),
    b"r": Decoder.reference,
    b"h": Decoder.handle,
}


def decode(
    data: bytes,
    bounds: Bounds = DEFAULT_BOUNDS,
    hook: Callable[[Any], object] | None = None,
    admit: Callable[[str], bool] | None = None,
) -> Any:
    """Return the one value that a message holds; the arguments are :class:`Decoder`'s.

    Raises:
        MalformedError: If the bytes are no encoding of one value, or exceed a bound.
    """
    return read_safely(Decoder(data, bounds, hook, admit=admit), Decoder.get)


def read_safely(decoder: Decoder, read: Reader) -> Any:
    """Read with `read`, to the message's end.

    Raises:
        MalformedError: Whatever is wrong with the message.
    """
    try:
        value = read(decoder)
        decoder.finish()
    except MalformedError:
        raise
    except Exception as error:  # whatever a library makes of a well-formed message with impossible values
        raise MalformedError(f"{type(error).__name__}: {error}"[:200]) from None
    return value
