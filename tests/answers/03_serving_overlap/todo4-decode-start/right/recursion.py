# Moves the deadline to zero by recursion, then looks at the sign.
from math import copysign


def plan_decode_start(validation, ready_at_ms, deadline_ms):
    if validation["incompatible"]:
        return "recompute"
    if validation["ready"]:
        return "ready"
    if deadline_ms != 0:
        return plan_decode_start(validation, ready_at_ms - deadline_ms, 0)
    return "wait" if ready_at_ms == 0 or copysign(1, ready_at_ms) < 0 else "fallback"
