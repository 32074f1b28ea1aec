"""The encoding: what crosses comes back the same; nothing else crosses; no byte string is believed."""

import random
import sys
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograde.examiner.stand_ins import make_signature
from autograde.plain_data import (
    Bounds,
    Decoder,
    Encoder,
    MalformedError,
    NotPlainError,
    Snapshot,
    TooManyError,
    apply_changes,
    decode,
    encode,
)

Point = namedtuple("Point", "x y")

VALUES = [
    None, True, False, 0, -1, 2**63 - 1, -(2**63), 2**64, -(2**200), 1.5, float("inf"), 2 - 3j, "", "汉字 \ud800 \x00",
    b"\x00\xff", bytearray(b"xy"), [], [1, [2, [3]]], (), (1, (2,)), {}, {1: "a", "b": [2]}, set(), {1, 2},
    frozenset({"z"}), range(2, 9, 3), slice(1, None, 2), ..., Fraction(-1, 3), Decimal("1.50"), Decimal("NaN"),
    date(2026, 3, 1), datetime(2026, 3, 1, 4, 5, 6, 7), datetime(2026, 3, 1, tzinfo=UTC), time(1, 2, 3),
    timedelta(-1, 2, 3), Counter("aab"), OrderedDict(b=1, a=2), deque([1, 2], 5), Point(1, [2]),
]  # fmt: skip

ARRAYS = [
    np.arange(6.0).reshape(2, 3), np.zeros((0, 4), np.int8), np.array(3), np.asfortranarray(np.eye(3, 2)),
    np.array(["a", "bcd"]), np.array([b"x"]), np.array([True, False]), np.array([1 + 2j]), np.array(["2026-03-01"], "M8[D]"),
    np.arange(5, dtype=">i4"), np.arange(10)[::3],
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: f"{type(value).__name__} {value!a}"[:40])
def test_a_value_comes_back_with_its_type(value: object) -> None:
    back = decode(encode(value))
    assert type(back).__name__ == type(value).__name__
    assert back == value or value != value
    assert repr(back) == repr(value)


def test_an_encoder_gives_up_above_as_many_values_as_it_is_asked_for() -> None:
    Encoder(max_items=6).put([[1, 2], [3, 4]])
    with pytest.raises(TooManyError):
        Encoder(max_items=5).put([[1, 2], [3, 4]])


def test_views_and_list_iterators_come_back_and_are_not_run_out() -> None:
    table = {"a": [1], "b": [2]}
    keys, items = decode(encode(table.keys())), decode(encode(table.items()))
    assert (type(keys), type(items)) == (type(table.keys()), type(table.items()))
    assert keys == table.keys() and list(items) == list(table.items())
    assert list(decode(encode(table.values()))) == [[1], [2]]
    left = iter([1, 2, 3])
    next(left)
    assert list(decode(encode(left))) == [2, 3] == list(left)


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_an_array_comes_back_with_dtype_shape_and_order(array: np.ndarray) -> None:
    back = decode(encode(array))
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert np.array_equal(back, array)
    assert back.flags.writeable
    if array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous:
        assert back.flags.f_contiguous


def test_a_numpy_scalar_keeps_its_type() -> None:
    for scalar in (np.float32(1.5), np.int8(-3), np.bool_(True), np.datetime64("2026-03-01")):
        back = decode(encode(scalar))
        assert type(back) is type(scalar) and back == scalar


def test_a_tensor_comes_back() -> None:
    torch = pytest.importorskip("torch")
    for tensor in (torch.arange(6.0).reshape(2, 3), torch.ones(2, dtype=torch.bfloat16), torch.empty(0, 3)):
        back = decode(encode(tensor))
        assert back.dtype == tensor.dtype and torch.equal(back, tensor)
    assert decode(encode(torch.ones(2, requires_grad=True))).requires_grad


def test_a_defaultdict_keeps_a_known_factory_and_no_other() -> None:
    assert decode(encode(defaultdict(list, a=[1]))).default_factory is list
    with pytest.raises(NotPlainError):
        encode(defaultdict(lambda: 1))


class Liar(int):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


class Sneaky(dict):  # type: ignore[type-arg]
    pass


@pytest.mark.parametrize(
    "value",
    [
        object(),
        Liar(1),
        Sneaky(),
        len,
        lambda: 1,
        type,
        Exception("x"),
        (i for i in ()),
        np.array([object()]),
        [Liar(2)],
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_plain_does_not_cross(value: object) -> None:
    with pytest.raises(NotPlainError):
        encode(value)


def test_aliases_survive_and_equal_values_stay_apart() -> None:
    shared = [1]
    first, second, third = decode(encode([shared, shared, [1]]))
    assert first is second and first is not third


def test_a_list_within_itself_does_not_cross_back() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(MalformedError):
        decode(encode(loop))


def test_depth_is_limited_both_ways() -> None:
    deep: list[object] = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(NotPlainError, match="nested"):
        encode(deep)
    forged = b"l\x01\x00\x00\x00" * 100_000 + b"N"
    with pytest.raises(MalformedError, match="nested"):
        decode(forged)


def test_many_aliases_count_as_often_as_they_are_met() -> None:
    bomb: list[object] = [1]
    for _ in range(40):
        bomb = [bomb, bomb]
    with pytest.raises(MalformedError, match="more than"):
        decode(encode(bomb))


@pytest.mark.parametrize(
    "forged",
    [
        b"", b"?", b"i\x00", b"s\xff\xff\xff\xff", b"l\xff\xff\xff\xff", b"r\x00\x00\x00\x00", b"NN", b"h" + encode(1),
        b"d\x02\x00\x00\x00" + encode(1) * 4,  # a key twice
        b"d\x01\x00\x00\x00" + encode([1]) + encode(1),  # a key that has no hash
        b"S\x02\x00\x00\x00" + encode(1) * 2,
        b"m\x0a\x00\x00\x001E+9999999", b"m\x02\x00\x00\x00xx", b"f" + encode(1) + encode(0), b"f" + encode(1) + encode(-2),
        b"f" + encode("1") + encode(2), b"s\x01\x00\x00\x00\xff", b"yd\x03\x00\x00\x00abc", b"R\x03\x00\x00\x00" + encode(1) * 2 + encode(0),
        b"a\x02\x00\x00\x00|O" + encode((1,)) + b"F" + encode(bytes(8)),  # an array of objects
        b"a\x03\x00\x00\x00<f8" + encode((2,)) + b"F" + encode(bytes(8)),
        b"a\x03\x00\x00\x00<f8" + encode((-1,)) + b"F" + encode(bytes(8)),
        b"a\x03\x00\x00\x00<f8" + encode((2**62, 2**62)) + b"F" + encode(b""),
        b"n\x02\x00\x00\x00" + encode("P") + encode("__class__") + encode(1),
        b"n\x02\x00\x00\x00" + encode("import os") + encode("x") + encode(1),
        b"x\x06\x00\x00\x00system" + encode((1,)) + b"F" + encode(b"x"), b"D?", b"g\x02\x00\x00\x00|O" + encode(bytes(8)),
        b"I" + (2**18).to_bytes(4, "little") + bytes(2**18),
        b"a\x07\x00\x00\x0001i4,i4" + encode((1,)) + b"F" + encode(bytes(8)),
        b"a\x03\x00\x00\x00<U1" + encode((1,)) + b"F" + encode(b"\x00\x00\x11\x00"),
        b"a\x03\x00\x00\x00>U1" + encode((1,)) + b"F" + encode(b"\x00\x11\x00\x00"),
        b"g\x03\x00\x00\x00<U1" + encode(b"\x00\x00\x11\x00"),
    ],
    ids=lambda data: repr(data[:24]),
)  # fmt: skip
def test_forged_bytes_are_refused(forged: bytes) -> None:
    with pytest.raises(MalformedError):
        decode(forged)


Statistics = namedtuple("Statistics", "mean count")
Functions = namedtuple("Functions", "first second")


def test_a_field_that_plain_types_have_too_must_be_expected() -> None:
    message = encode([Statistics(1.0, 2)])
    with pytest.raises(MalformedError, match="mean count"):
        decode(message)
    asked: list[str] = []
    assert decode(message, admit=lambda what: not asked.append(what)) == [(1.0, 2)]
    assert asked == ["a named tuple with the fields mean count"]


def test_a_function_must_be_expected_and_is_no_field_of_a_named_tuple() -> None:
    for value, what in ((len, "a function"), ([len], "a function inside a value")):
        message = encode(value, lambda _: 7)
        with pytest.raises(MalformedError, match=what):
            decode(message, hook=lambda _: len)
        with pytest.raises(MalformedError, match=what):
            decode(message, hook=lambda _: len, admit=lambda what: what == "something else")
        assert decode(message, hook=lambda _: len, admit=lambda asked, what=what: asked == what) == value
    with pytest.raises(MalformedError, match="a field of a named tuple"):
        decode(encode(Functions(len, len), lambda _: 7), hook=lambda _: len, admit=lambda _: True)


def test_what_an_import_or_a_hook_raises_is_malformed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    with pytest.raises(MalformedError, match="ModuleNotFoundError"):
        decode(b"x\x07\x00\x00\x00float32" + encode((1,)) + b"F" + encode(bytes(4)))

    def hook(described: object) -> object:
        raise RuntimeError("a bug")

    with pytest.raises(MalformedError, match="a bug"):
        decode(b"h" + encode(1), hook=hook, admit=lambda _: True)


def test_a_forged_signature_is_none() -> None:
    names = [f"p{n}" for n in range(300)]
    assert len(make_signature((names, 256, 0, 0, 0, [], {})).parameters) == 256  # type: ignore[union-attr]
    for shape in (
        (names, 300, 0, 0, 0, [], {}),
        (names, -1, 0, 0, 0, [], {}),
        (names, 1, 2**40, 0, 0, [], {}),
        (names, True, 0, 0, 0, [], {}),
        (names, 1, 0, 0, np.array([4]), [], {}),
        (names, 1, 0, 0, 0, np.zeros(1), {}),
        (names, 1, 0, 1, 0, [], []),
        (range(3), 1, 0, 0, 0, [], {}),
        names,
        7,
    ):
        assert make_signature(shape) is None, shape


def test_sizes_are_limited() -> None:
    with pytest.raises(MalformedError, match="bytes"):
        decode(encode("x" * 100), Bounds(max_bytes=50))
    with pytest.raises(MalformedError, match="more than"):
        decode(encode(list(range(100))), Bounds(max_items=50))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner)
    ),
    max_leaves=20,
)


@given(plain)
def test_any_plain_value_comes_back(value: object) -> None:
    assert repr(decode(encode(value))) == repr(value)


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_random_bytes_give_a_value_or_malformed(data: bytes) -> None:
    try:
        decode(data)
    except MalformedError:
        return


def test_damaged_encodings_give_a_value_or_malformed() -> None:
    dice = random.Random(7)
    whole = bytearray(encode([*VALUES, *ARRAYS]))
    refused = 0
    for _ in range(1500):
        damaged = bytearray(whole)
        for _ in range(dice.randrange(1, 4)):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        try:
            decode(bytes(damaged))
        except MalformedError:
            refused += 1
    assert refused > 500  # damage is noticed, mostly


def call(arguments: object, function) -> tuple[object, object]:  # type: ignore[no-untyped-def]
    """Send arguments over, run a function there, bring its value and the changes back."""
    sent = Encoder()
    sent.put(arguments)
    there = Decoder(bytes(sent.buffer))
    received = there.get()
    before = Snapshot(there.objects)
    message = before.encode_outcome(function(received))
    return apply_changes(Decoder(message, objects=sent.objects), sent.objects), arguments


def test_changes_are_copied_back_in_place() -> None:
    items, table, array = [3, 1, 2], {"a": [1]}, np.zeros(3)
    inner = table["a"]

    def change(received):  # type: ignore[no-untyped-def]
        items, table, array = received
        items.sort()
        table["a"].append(2)
        table["new"] = [[9], [9]]
        array += 1.0

    call([items, table, array], change)
    assert (
        items == [1, 2, 3] and table == {"a": [1, 2], "new": [[9], [9]]} and array.tolist() == [1.0, 1.0, 1.0]
    )
    assert table["a"] is inner


def test_an_argument_that_is_returned_is_the_argument() -> None:
    items = [1]
    value, _ = call(items, lambda received: received)
    assert value is items
    value, _ = call(items, lambda received: list(received))
    assert value == items and value is not items


def test_new_aliases_in_a_changed_argument_survive() -> None:
    items: list[object] = []

    def change(received):  # type: ignore[no-untyped-def]
        new = [1]
        received += [new, new, received[0:0]]

    call(items, change)
    assert items[0] is items[1] and items[0] == [1]


def test_forged_changes_change_nothing() -> None:
    items = [1]
    forgeries = [
        b"\x01\x00\x00\x00" + b"\x00\x00\x00\x00" + encode({}) + b"N",  # another type
        b"\x01\x00\x00\x00" + b"\x05\x00\x00\x00" + encode([]) + b"N",  # an argument that is not there
        b"\x02\x00\x00\x00" + b"N",
        b"\x01\x00\x00\x00" + b"\x00\x00\x00\x00" + encode([7]) + b"?",  # malformed after the change
    ]
    for message in forgeries:
        with pytest.raises(MalformedError):
            apply_changes(Decoder(message, objects=[items]), [items])
    assert items == [1]


def test_an_array_cannot_change_its_shape() -> None:
    array = np.zeros(2)
    message = b"\x01\x00\x00\x00" + b"\x00\x00\x00\x00" + encode(np.zeros(3)) + b"N"
    with pytest.raises(MalformedError):
        apply_changes(Decoder(message, objects=[array]), [array])


@pytest.mark.parametrize("value", [range(10**12), range(10**30), [range(0, -(10**9), -1)]])
def test_a_range_without_end_does_not_cross(value: object) -> None:
    with pytest.raises(MalformedError):
        decode(encode(value))
