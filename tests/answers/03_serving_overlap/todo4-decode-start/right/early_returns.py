# Early returns, comparison turned round.
def plan_decode_start(validation, ready_at_ms, deadline_ms):
    check_instant("ready_at_ms", ready_at_ms)
    check_instant("deadline_ms", deadline_ms)
    if validation["incompatible"]:
        return "recompute"
    if validation["ready"]:
        return "ready"
    if deadline_ms < ready_at_ms:
        return "fallback"
    return "wait"
