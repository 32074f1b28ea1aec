# Clips, adds up and caps at the total: shared instants still count twice.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    total_ms = end - start
    hidden_ms = 0.0
    for window in cover_intervals:
        left, right = check_interval("cover_intervals", window)
        hidden_ms += max(0.0, min(end, right) - max(start, left))
    hidden_ms = min(hidden_ms, total_ms)
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
