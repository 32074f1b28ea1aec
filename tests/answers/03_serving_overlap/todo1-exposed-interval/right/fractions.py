# Exact arithmetic with Fractions, floats only at the end.
from fractions import Fraction


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = (Fraction(edge) for edge in transfer_interval)
    pieces = sorted((max(start, Fraction(a)), min(end, Fraction(b))) for a, b in cover_intervals)
    hidden, reached = Fraction(0), start
    for left, right in pieces:
        if right > max(left, reached):
            hidden += right - max(left, reached)
            reached = right
    total = end - start
    return {"total_ms": float(total), "hidden_ms": float(hidden), "exposed_ms": float(total - hidden)}
