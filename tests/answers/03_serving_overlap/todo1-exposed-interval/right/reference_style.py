# The given loop, completed step by step with an explicit loop for the clipping.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    clipped = []
    for left, right in windows:
        left = left if left > start else start
        right = right if right < end else end
        if left < right:
            clipped.append((left, right))
    clipped.sort()
    merged = []
    for left, right in clipped:
        if not merged or left >= merged[-1][1]:
            merged.append([left, right])
        else:
            merged[-1][1] = max(merged[-1][1], right)
    total_ms = end - start
    hidden_ms = 0
    for left, right in merged:
        hidden_ms += right - left
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
