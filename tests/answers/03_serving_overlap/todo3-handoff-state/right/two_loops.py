# Two plain loops that append.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    check_state(handoff_state, expected_request_id, expected_version)
    incompatible = []
    if "request_id" not in handoff_state or handoff_state["request_id"] != expected_request_id:
        incompatible.append("request_id")
    if "version" not in handoff_state or handoff_state["version"] != expected_version:
        incompatible.append("version")
    missing = []
    for name in ("payload_ready", "metadata_ready", "ownership_ready"):
        if name in handoff_state and handoff_state[name]:
            continue
        missing.append(name)
    return {"ready": len(missing) + len(incompatible) == 0, "missing": missing, "incompatible": incompatible}
