# The admission estimate max(T - W, 0): looks at lengths, never at positions.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    total_ms = end - start
    exposed_ms = max(total_ms - sum(right - left for left, right in windows), 0.0)
    return {"total_ms": total_ms, "hidden_ms": total_ms - exposed_ms, "exposed_ms": exposed_ms}
