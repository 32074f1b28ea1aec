# A generator yields the gaps between windows; their lengths are the exposed time.
from math import fsum


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval

    def gaps():
        reached = start
        for left, right in sorted(map(tuple, cover_intervals)):
            if left > reached:
                yield min(left, end) - reached
            reached = max(reached, right)
            if reached >= end:
                return
        yield end - reached

    exposed = fsum(gaps())
    return {"total_ms": end - start, "exposed_ms": exposed, "hidden_ms": end - start - exposed}
