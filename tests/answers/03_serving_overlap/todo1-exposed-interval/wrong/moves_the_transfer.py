# Uses the caller's transfer as a cursor when it is a list.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    cursor = transfer_interval if isinstance(transfer_interval, list) else list(transfer_interval)
    hidden_ms = 0.0
    for left, right in sorted(check_interval("cover_intervals", window) for window in cover_intervals):
        left, right = max(left, cursor[0]), min(right, end)
        if right > left:
            hidden_ms += right - left
            cursor[0] = right
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
