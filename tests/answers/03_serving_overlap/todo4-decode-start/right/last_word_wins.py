# From the weakest reason to the strongest, each overriding the one before.
def plan_decode_start(validation, ready_at_ms, deadline_ms):
    action = "fallback"
    if ready_at_ms <= deadline_ms:
        action = "wait"
    if validation["ready"]:
        action = "ready"
    if validation["incompatible"]:
        action = "recompute"
    return action
