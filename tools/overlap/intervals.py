"""Arithmetic of intervals for evidence and pictures. Not the exercise: nothing here returns exposed time."""

from collections.abc import Sequence

Interval = tuple[float, float]


def union(intervals: Sequence[Interval]) -> list[Interval]:
    """Return the instants covered, as disjoint intervals in order; touching ones are joined.

    Example:
        >>> union([(3, 5), (0, 2), (2, 3), (9, 9)])
        [(0, 5)]
    """
    joined: list[Interval] = []
    for start, end in sorted(i for i in intervals if i[1] > i[0]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def intersection(first: Sequence[Interval], second: Sequence[Interval]) -> list[Interval]:
    """Return the instants covered by both.

    Example:
        >>> intersection([(0, 4)], [(1, 2), (3, 6)])
        [(1, 2), (3, 4)]
    """
    parts = [
        (max(a, c), min(b, d)) for a, b in union(first) for c, d in union(second) if min(b, d) > max(a, c)
    ]
    return union(parts)


def length(intervals: Sequence[Interval]) -> float:
    """Return the time covered, no instant counted twice.

    Example:
        >>> length([(0, 4), (2, 5)])
        5
    """
    return sum(end - start for start, end in union(intervals))


def shared_fraction(copies: Sequence[Interval], computes: Sequence[Interval]) -> float:
    """Return how much of the shorter of the two ran while the other ran, 0 to 1."""
    shorter = min(length(copies), length(computes))
    return length(intersection(copies, computes)) / shorter if shorter else 0.0


def from_zero(*groups: Sequence[Interval]) -> list[list[Interval]]:
    """Shift all groups alike so that the earliest start is 0.0; round to a nanosecond."""
    origin = min(start for group in groups for start, _ in group)
    return [[(round(s - origin, 6), round(e - origin, 6)) for s, e in group] for group in groups]
