# Takes the first window before asking whether there is one.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = sorted(check_interval("cover_intervals", window) for window in cover_intervals)
    left, right = windows[0]
    hidden_ms = 0.0
    for next_left, next_right in windows[1:]:
        if next_left > right:
            hidden_ms += max(0.0, min(end, right) - max(start, left))
            left, right = next_left, next_right
        else:
            right = max(right, next_right)
    hidden_ms += max(0.0, min(end, right) - max(start, left))
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
