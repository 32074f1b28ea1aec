"""Arguments changed in place: what a call changed in its numbered containers, and how it is copied back."""

from collections import Counter, OrderedDict, defaultdict, deque
from operator import is_
from typing import Any

from autograde.plain_data.decoding import Decoder
from autograde.plain_data.encoding import Encoder, put_content
from autograde.plain_data.format import U32, MalformedError


class Snapshot:
    """What the containers of a call's arguments held before the call.

    Args:
        objects: The numbered containers, in their order.
    """

    def __init__(self, objects: list[Any]):
        self._objects = objects
        self._before = [_state(held) for held in objects]

    def encode_outcome(self, value: object, hook: Any = None) -> bytes:
        """Return one message: the containers that changed, then the call's value.

        Raises:
            NotPlainError: If the value, or what was put into an argument, cannot cross.
        """
        changed = [
            index
            for index, (held, before) in enumerate(zip(self._objects, self._before, strict=True))
            if not _is_same(before, _state(held))
        ]
        encoder = Encoder(hook)
        for known in self._objects:
            encoder.number(known)
        encoder.buffer += U32.pack(len(changed))
        for index in changed:
            encoder.buffer += U32.pack(index)
            put_content(encoder, self._objects[index])
        encoder.put(value)
        return bytes(encoder.buffer)


def _state(held: Any) -> bytes | list[Any]:
    """Return a container's content: its very items, or its bytes if it has none."""
    if isinstance(held, dict):
        return [getattr(held, "default_factory", None), *held.keys(), *held.values()]
    if isinstance(held, list | set | deque):
        return list(held)
    encoder = Encoder()
    put_content(encoder, held)
    return bytes(encoder.buffer)


def _is_same(before: bytes | list[Any], now: bytes | list[Any]) -> bool:
    if isinstance(before, bytes):
        return before == now
    return len(before) == len(now) and all(map(is_, before, now))


def apply_changes(decoder: Decoder, originals: list[Any]) -> Any:
    """Read a message of :meth:`Snapshot.encode_outcome`, change the originals in place, return the value.

    Nothing is changed unless the whole message is well formed.

    Args:
        decoder: Made with ``objects=originals``.
        originals: The containers of the arguments, in their order.

    Raises:
        MalformedError: If the message is malformed, or a container would change its type, dtype or shape.
    """
    count = decoder.unpack(U32)
    if count > len(originals):
        raise MalformedError("more changes than arguments")
    changes: list[tuple[Any, Any]] = []
    for _ in range(count):
        number = decoder.unpack(U32)
        if number >= len(originals):
            raise MalformedError("change of an unknown argument")
        changes.append((originals[number], _read_content(decoder, originals[number])))
    value = decoder.get()
    decoder.finish()
    for target, content in changes:
        _pour(target, content)
    return value


def _read_content(decoder: Decoder, target: Any) -> Any:
    content = decoder.content()
    if type(content) is not type(target):
        raise MalformedError("an argument would change its type")
    if type(target).__module__ in ("numpy", "torch") and (
        content.dtype != target.dtype or content.shape != target.shape
    ):
        raise MalformedError("an argument would change its dtype or shape")
    return content


def _pour(target: Any, content: Any) -> None:
    if type(target) is list or type(target) is bytearray:
        target[:] = content
    elif type(target) in (dict, defaultdict, OrderedDict, Counter):
        target.clear()
        for key, value in content.items():
            target[key] = value
    elif type(target) is set:
        target.clear()
        target.update(content)
    elif type(target) is deque:
        target.clear()
        target.extend(content)
    elif type(target).__module__ == "numpy":
        if target.flags.writeable:
            target[...] = content
    else:
        target.data.copy_(content.data)
