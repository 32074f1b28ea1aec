# numpy.select over the rules, first match wins.
import numpy as np


def plan_decode_start(validation, ready_at_ms, deadline_ms):
    rules = [bool(validation["incompatible"]), bool(validation["ready"]), ready_at_ms <= deadline_ms]
    return str(np.select(rules, ["recompute", "ready", "wait"], default="fallback"))
