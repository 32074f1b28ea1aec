# Takes the expected version for an absent one.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    check_state(handoff_state, expected_request_id, expected_version)
    required = ["payload_ready", "metadata_ready", "ownership_ready"]
    missing = [name for name in required if not handoff_state.get(name, False)]
    incompatible = []
    if handoff_state.get("request_id") != expected_request_id:
        incompatible.append("request_id")
    if handoff_state.get("version", expected_version) != expected_version:
        incompatible.append("version")
    return {"ready": not missing and not incompatible, "missing": missing, "incompatible": incompatible}
