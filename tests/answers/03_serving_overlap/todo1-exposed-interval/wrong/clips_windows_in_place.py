# Clips by writing into the caller's windows when these are lists.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    pieces = []
    for window in cover_intervals:
        check_interval("cover_intervals", window)
        if isinstance(window, list):
            window[0], window[1] = max(start, window[0]), min(end, window[1])
        left, right = max(start, window[0]), min(end, window[1])
        if right > left:
            pieces.append((left, right))
    hidden_ms, reached = 0.0, start
    for left, right in sorted(pieces):
        hidden_ms += max(0.0, right - max(left, reached))
        reached = max(reached, right)
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
