# Looks at a thousand samples of the transfer: near, never exact.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    total_ms = end - start
    samples = [start + (index + 0.5) * total_ms / 1000 for index in range(1000)]
    hidden_ms = total_ms * sum(any(a <= sample < b for a, b in windows) for sample in samples) / 1000
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
