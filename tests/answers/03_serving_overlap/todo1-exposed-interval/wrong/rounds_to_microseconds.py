# Rounds each window to whole microseconds.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    clipped = sorted(
        (round(max(start, a), 3), round(min(end, b), 3)) for a, b in windows if min(end, b) > max(start, a)
    )
    hidden_ms, reached = 0.0, start
    for left, right in clipped:
        hidden_ms += max(0.0, right - max(left, reached))
        reached = max(reached, right)
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
