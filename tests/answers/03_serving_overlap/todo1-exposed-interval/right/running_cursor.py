# One cursor walks through the transfer; early return where there is nothing to walk through.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    if start == end:
        return {"total_ms": 0.0, "hidden_ms": 0.0, "exposed_ms": 0.0}
    if not cover_intervals:
        return {"total_ms": end - start, "hidden_ms": 0.0, "exposed_ms": end - start}
    cursor, hidden = start, 0.0
    for window in sorted(cover_intervals, key=lambda pair: pair[0]):
        if window[1] <= cursor:
            continue
        if window[0] >= end:
            break
        begin = max(window[0], cursor)
        cursor = min(window[1], end)
        hidden += cursor - begin
    return {"total_ms": end - start, "hidden_ms": hidden, "exposed_ms": end - start - hidden}
