# functools.reduce folds the sorted windows into disjoint blocks; clipping comes last.
from functools import reduce


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval

    def add(blocks, window):
        if blocks and window[0] <= blocks[-1][1]:
            return [*blocks[:-1], (blocks[-1][0], max(blocks[-1][1], window[1]))]
        return [*blocks, tuple(window)]

    blocks = reduce(add, sorted(cover_intervals), [])
    hidden_ms = sum(max(min(end, right) - max(start, left), 0.0) for left, right in blocks)
    return {"total_ms": end - start, "hidden_ms": hidden_ms, "exposed_ms": (end - start) - hidden_ms}
