# Only the longest piece counts.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    total_ms = end - start
    hidden_ms = max((max(0.0, min(end, b) - max(start, a)) for a, b in windows), default=0.0)
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
