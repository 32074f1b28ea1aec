# Adds a key that was not asked for.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    hidden_ms, reached = 0.0, start
    for left, right in sorted(check_interval("cover_intervals", window) for window in cover_intervals):
        left, right = max(left, reached), min(right, end)
        if right > left:
            hidden_ms += right - left
            reached = right
    total_ms = end - start
    return {
        "total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms,
        "windows": len(cover_intervals),
    }
