# Sorts the caller's list in place.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    cover_intervals.sort()
    hidden_ms, reached = 0.0, start
    for window in cover_intervals:
        left, right = check_interval("cover_intervals", window)
        left, right = max(left, reached), min(right, end)
        if right > left:
            hidden_ms += right - left
            reached = right
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
