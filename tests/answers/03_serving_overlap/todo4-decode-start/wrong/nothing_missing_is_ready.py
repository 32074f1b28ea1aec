# Starts as soon as nothing is missing, and then looks at identity.
def plan_decode_start(validation, ready_at_ms, deadline_ms):
    check_instant("ready_at_ms", ready_at_ms)
    check_instant("deadline_ms", deadline_ms)
    if not validation["missing"]:
        return "ready"
    if validation["incompatible"]:
        return "recompute"
    can_wait = ready_at_ms <= deadline_ms
    return "wait" if can_wait else "fallback"
