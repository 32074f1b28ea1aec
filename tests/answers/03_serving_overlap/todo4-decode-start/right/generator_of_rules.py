# The first rule that applies, from a generator.
from operator import le


def plan_decode_start(validation, ready_at_ms, deadline_ms):
    check_instant("ready_at_ms", ready_at_ms)
    check_instant("deadline_ms", deadline_ms)
    rules = (
        ("recompute", lambda: validation["incompatible"]),
        ("ready", lambda: validation["ready"]),
        ("wait", lambda: le(ready_at_ms, deadline_ms)),
        ("fallback", lambda: True),
    )
    return next(action for action, applies in rules if applies())
