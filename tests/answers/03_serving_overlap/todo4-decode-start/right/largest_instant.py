# In time if the deadline is the larger of the two.
def plan_decode_start(validation, ready_at_ms, deadline_ms):
    if len(validation["incompatible"]) > 0:
        action = "recompute"
    elif validation["ready"]:
        action = "ready"
    elif max(ready_at_ms, deadline_ms) == deadline_ms:
        action = "wait"
    else:
        action = "fallback"
    return action
