# Adds a block when the next one opens, and never adds the last.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    clipped = sorted((max(start, a), min(end, b)) for a, b in windows if min(end, b) > max(start, a))
    hidden_ms, block = 0.0, None
    for left, right in clipped:
        if block and left > block[1]:
            hidden_ms += block[1] - block[0]
            block = None
        block = [block[0], max(block[1], right)] if block else [left, right]
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
