# Cuts the transfer at every window's edge and asks for each slice whether its middle is covered.
from itertools import pairwise


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    cuts = {start, end} | {edge for window in cover_intervals for edge in window if start < edge < end}
    exposed = 0.0
    for left, right in pairwise(sorted(cuts)):
        middle = left + (right - left) / 2
        if not any(opens <= middle < closes for opens, closes in cover_intervals):
            exposed += right - left
    total = end - start
    return {"exposed_ms": exposed, "total_ms": total, "hidden_ms": total - exposed}
