# Appends an end marker to the caller's list and leaves it there.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    cover_intervals.append((end, end))
    hidden_ms, reached = 0.0, start
    for left, right in sorted(tuple(window) for window in cover_intervals):
        left, right = max(left, reached), min(right, end)
        if right > left:
            hidden_ms += right - left
            reached = right
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
