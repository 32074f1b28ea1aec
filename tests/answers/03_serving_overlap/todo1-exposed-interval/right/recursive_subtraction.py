# Recursion: what one window leaves over is asked about the other windows.
def compute_exposed_interval(transfer_interval, cover_intervals):
    def left_over(start, end, windows):
        if end <= start:
            return 0.0
        if not windows:
            return end - start
        (left, right), *others = windows
        before = left_over(start, min(left, end), others)
        after = left_over(max(right, start), end, others)
        if right <= start or left >= end:
            return left_over(start, end, others)
        return before + after

    start, end = check_interval("transfer_interval", transfer_interval)
    real = [window for window in cover_intervals if window[1] > window[0]]
    exposed = left_over(start, end, real)
    return {"total_ms": end - start, "hidden_ms": end - start - exposed, "exposed_ms": exposed}
