# Sweep line: +1 where a window opens, -1 where it closes, hidden while the count is positive.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    events = []
    for opens, closes in cover_intervals:
        events += [(opens, 1), (closes, -1)]
    depth, hidden, before = 0, 0.0, start
    for instant, change in sorted(events):
        instant = min(max(instant, start), end)
        if depth > 0:
            hidden += instant - before
        before, depth = instant, depth + change
    return dict(hidden_ms=hidden, exposed_ms=end - start - hidden, total_ms=end - start)
