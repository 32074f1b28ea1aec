# Counts slices of half a millisecond: right on halves only.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    step = 0.5
    slices = round((end - start) / step)
    middles = [start + (index + 0.5) * step for index in range(slices)]
    total_ms = end - start
    hidden_ms = step * sum(any(a <= middle <= b for a, b in windows) for middle in middles)
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
