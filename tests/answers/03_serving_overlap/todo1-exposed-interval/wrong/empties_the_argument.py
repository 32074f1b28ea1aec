# Takes the windows out of the caller's list one by one.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    pieces = []
    while cover_intervals:
        left, right = check_interval("cover_intervals", cover_intervals.pop())
        if min(end, right) > max(start, left):
            pieces.append((max(start, left), min(end, right)))
    hidden_ms, reached = 0.0, start
    for left, right in sorted(pieces):
        hidden_ms += max(0.0, right - max(left, reached))
        reached = max(reached, right)
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
