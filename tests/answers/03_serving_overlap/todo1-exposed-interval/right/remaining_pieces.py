# Keeps a list of exposed pieces and lets every window bite into it.
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    pieces = [(start, end)]
    for left, right in cover_intervals:
        rest = []
        for a, b in pieces:
            if right <= a or b <= left or left == right:
                rest.append((a, b))
                continue
            if a < left:
                rest.append((a, left))
            if right < b:
                rest.append((right, b))
        pieces = rest
    exposed_ms = sum(b - a for a, b in pieces)
    total_ms = end - start
    return {"exposed_ms": exposed_ms, "hidden_ms": total_ms - exposed_ms, "total_ms": total_ms}
