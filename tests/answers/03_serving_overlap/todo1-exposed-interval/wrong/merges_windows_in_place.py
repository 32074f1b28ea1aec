# Stretches the caller's own window while merging, when it is a list.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    merged = []
    for window in sorted(cover_intervals, key=lambda interval: interval[0]):
        check_interval("cover_intervals", window)
        if merged and window[0] <= merged[-1][1]:
            if not isinstance(merged[-1], list):
                merged[-1] = list(merged[-1])
            merged[-1][1] = max(merged[-1][1], window[1])
        else:
            merged.append(window)
    hidden_ms = sum(max(0.0, min(end, right) - max(start, left)) for left, right in merged)
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
