# Measures the total from the earliest to the latest instant of all intervals.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    clipped = sorted(
        (max(start, a), min(end, b)) for a, b in cover_intervals if min(end, b) > max(start, a)
    )
    hidden_ms, reached = 0.0, start
    for left, right in clipped:
        hidden_ms += max(0.0, right - max(left, reached))
        reached = max(reached, right)
    total_ms = max([end, *(b for _, b in cover_intervals)]) - min([start, *(a for a, _ in cover_intervals)])
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
