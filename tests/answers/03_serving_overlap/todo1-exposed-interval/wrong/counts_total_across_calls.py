# A global adds up the hidden time of all calls so far.
ALL_HIDDEN = 0.0


def compute_exposed_interval(transfer_interval, cover_intervals):
    global ALL_HIDDEN
    start, end = check_interval("transfer_interval", transfer_interval)
    reached = start
    for left, right in sorted(check_interval("cover_intervals", window) for window in cover_intervals):
        left, right = max(left, reached), min(right, end)
        if right > left:
            ALL_HIDDEN += right - left
            reached = right
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": ALL_HIDDEN, "exposed_ms": total_ms - ALL_HIDDEN}
