# Asks forgiveness: a KeyError puts the field on its list.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    missing, incompatible = [], []
    for name in ["payload_ready", "metadata_ready", "ownership_ready"]:
        try:
            if not handoff_state[name]:
                raise KeyError(name)
        except KeyError:
            missing.append(name)
    for name, value in [("request_id", expected_request_id), ("version", expected_version)]:
        try:
            same = handoff_state[name] == value
        except KeyError:
            same = False
        if not same:
            incompatible.append(name)
    ready = True if not missing and not incompatible else False
    return {"missing": missing, "incompatible": incompatible, "ready": ready}
