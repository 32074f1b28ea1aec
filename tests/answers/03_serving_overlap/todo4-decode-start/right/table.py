# A table indexed by booleans.
def plan_decode_start(validation, ready_at_ms, deadline_ms):
    check_instant("ready_at_ms", ready_at_ms)
    check_instant("deadline_ms", deadline_ms)
    in_time = {True: "wait", False: "fallback"}
    complete = {True: "ready", False: in_time[not ready_at_ms > deadline_ms]}
    matching = {True: complete[bool(validation["ready"])], False: "recompute"}
    return matching[validation["incompatible"] == []]
