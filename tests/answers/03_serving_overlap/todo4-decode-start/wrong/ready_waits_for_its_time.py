# Lets a complete state wait for the announced instant.
def plan_decode_start(validation, ready_at_ms, deadline_ms):
    check_instant("ready_at_ms", ready_at_ms)
    check_instant("deadline_ms", deadline_ms)
    if validation["incompatible"]:
        return "recompute"
    if validation["ready"]:
        return "ready" if ready_at_ms >= deadline_ms else "wait"
    can_wait = ready_at_ms <= deadline_ms
    return "wait" if can_wait else "fallback"
