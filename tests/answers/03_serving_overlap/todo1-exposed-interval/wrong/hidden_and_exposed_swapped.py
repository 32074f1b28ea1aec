# Reports the hidden time as exposed and the exposed time as hidden.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    clipped = sorted((max(start, a), min(end, b)) for a, b in windows if min(end, b) > max(start, a))
    covered, reached = 0.0, start
    for left, right in clipped:
        covered += max(0.0, right - max(left, reached))
        reached = max(reached, right)
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": total_ms - covered, "exposed_ms": covered}
