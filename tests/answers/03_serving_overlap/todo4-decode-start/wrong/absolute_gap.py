# Near the deadline is good enough, early or late.
def plan_decode_start(validation, ready_at_ms, deadline_ms):
    check_instant("ready_at_ms", ready_at_ms)
    check_instant("deadline_ms", deadline_ms)
    if validation["incompatible"]:
        return "recompute"
    if validation["ready"]:
        return "ready"
    can_wait = abs(ready_at_ms - deadline_ms) <= 2.0
    return "wait" if can_wait else "fallback"
