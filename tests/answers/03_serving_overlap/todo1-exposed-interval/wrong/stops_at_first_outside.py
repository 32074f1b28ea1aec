# Leaves the loop at the first window outside the transfer, where it should go on to the next.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    merged = []
    for left, right in sorted(check_interval("cover_intervals", window) for window in cover_intervals):
        left, right = max(start, left), min(end, right)
        if right <= left:
            break
        if not merged or left > merged[-1][1]:
            merged.append([left, right])
        else:
            merged[-1][1] = max(merged[-1][1], right)
    total_ms = end - start
    hidden_ms = sum(right - left for left, right in merged)
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
