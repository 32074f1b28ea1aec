# itertools.compress over masks.
from itertools import compress


def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    flags = ["payload_ready", "metadata_ready", "ownership_ready"]
    names, wanted = ["request_id", "version"], [expected_request_id, expected_version]
    missing = [*compress(flags, (not handoff_state.get(name) for name in flags))]
    incompatible = [*compress(names, (handoff_state.get(n) != w for n, w in zip(names, wanted)))]
    return dict(ready=missing == incompatible == [], missing=missing, incompatible=incompatible)
