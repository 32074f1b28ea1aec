# Slack as an exact Fraction.
from fractions import Fraction


def plan_decode_start(validation, ready_at_ms, deadline_ms):
    if validation["incompatible"]:
        return "recompute"
    if validation["ready"]:
        return "ready"
    slack = Fraction(deadline_ms) - Fraction(ready_at_ms)
    return ["fallback", "wait"][slack >= 0]
