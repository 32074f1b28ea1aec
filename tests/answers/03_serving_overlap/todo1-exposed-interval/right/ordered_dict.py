# Returns an OrderedDict, and merges with a while loop over indices.
from collections import OrderedDict


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = sorted(check_interval("cover_intervals", window) for window in cover_intervals)
    index, hidden = 0, 0.0
    while index < len(windows):
        left, right = windows[index]
        index += 1
        while index < len(windows) and windows[index][0] <= right:
            right = max(right, windows[index][1])
            index += 1
        left, right = max(left, start), min(right, end)
        hidden += right - left if right > left else 0.0
    total = end - start
    return OrderedDict([("exposed_ms", total - hidden), ("hidden_ms", hidden), ("total_ms", total)])
