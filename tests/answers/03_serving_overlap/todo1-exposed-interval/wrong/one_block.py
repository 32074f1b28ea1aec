# Spans one block from the first left end to the last right end: gaps count as hidden.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    pieces = [(max(start, a), min(end, b)) for a, b in windows if min(end, b) > max(start, a)]
    total_ms = end - start
    hidden_ms = max(b for _, b in pieces) - min(a for a, _ in pieces) if pieces else 0.0
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
