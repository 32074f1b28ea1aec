# Refuses a transfer that takes no time.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    if end <= start:
        raise ValueError("empty transfer")
    hidden_ms, reached = 0.0, start
    for left, right in sorted(check_interval("cover_intervals", window) for window in cover_intervals):
        left, right = max(left, reached), min(right, end)
        if right > left:
            hidden_ms += right - left
            reached = right
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
