# One match over the three answers.
def plan_decode_start(validation, ready_at_ms, deadline_ms):
    match (bool(validation["incompatible"]), validation["ready"], ready_at_ms <= deadline_ms):
        case (True, _, _):
            return "recompute"
        case (False, True, _):
            return "ready"
        case (False, False, True):
            return "wait"
        case _:
            return "fallback"
