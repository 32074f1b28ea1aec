# itertools.accumulate gives how far the windows before have reached.
from itertools import accumulate


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    windows = sorted((min(max(a, start), end), min(max(b, start), end)) for a, b in cover_intervals)
    reached = accumulate((b for _, b in windows), max, initial=start)
    hidden = sum(max(0, b - max(a, before)) for (a, b), before in zip(windows, reached))
    total = end - start
    return {"total_ms": total, "hidden_ms": hidden, "exposed_ms": total - hidden}
