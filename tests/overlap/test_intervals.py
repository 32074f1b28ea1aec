"""Interval arithmetic against counting unit squares."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tools.overlap.intervals import from_zero, intersection, length, shared_fraction, union
from tools.overlap.pictures import timeline_lanes

pair = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda p: (min(p), max(p)))
groups = st.lists(pair, max_size=6)
some = st.lists(pair.filter(lambda p: p[0] < p[1]), min_size=1, max_size=6)


def squares(intervals) -> set[int]:
    return {i for start, end in intervals for i in range(start, end)}


@settings(max_examples=60, deadline=None)
@given(groups)
def test_union_covers_the_same_instants_once_and_in_order(intervals):
    joined = union(intervals)
    assert squares(joined) == squares(intervals)
    assert length(intervals) == len(squares(intervals))
    assert all(a[1] < b[0] for a, b in pairwise(joined))


@settings(max_examples=60, deadline=None)
@given(groups, groups)
def test_intersection_covers_what_both_cover(first, second):
    assert squares(intersection(first, second)) == squares(first) & squares(second)
    assert intersection(first, second) == intersection(second, first)


@settings(max_examples=60, deadline=None)
@given(some, some)
def test_shared_fraction_is_of_the_shorter_one(first, second):
    shared = len(squares(first) & squares(second)) / min(len(squares(first)), len(squares(second)))
    assert shared_fraction(first, second) == shared


@settings(max_examples=60, deadline=None)
@given(some, some)
def test_shifting_keeps_every_length_and_starts_at_zero(first, second):
    moved = from_zero(first, second)
    assert min(start for group in moved for start, _ in group) == 0
    assert [length(group) for group in moved] == [length(first), length(second)]


@settings(max_examples=60, deadline=None)
@given(some, some)
def test_lanes_cut_the_copy_into_hidden_and_exposed_without_loss(copies, computes):
    run = {"copy": [list(part) for part in copies], "compute": [list(part) for part in computes]}
    bars = timeline_lanes({"serial": run, "overlap": run})["overlap: copy"]
    hidden = squares([bar[1:] for bar in bars if bar[0] == "hidden"])
    exposed = squares([bar[1:] for bar in bars if bar[0] == "exposed"])
    assert hidden == squares(copies) & squares(computes)
    assert exposed == squares(copies) - squares(computes)
