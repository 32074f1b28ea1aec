# Returns the two lists under each other's name.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    check_state(handoff_state, expected_request_id, expected_version)
    required = ["payload_ready", "metadata_ready", "ownership_ready"]
    missing = [name for name in required if not handoff_state.get(name, False)]
    expected = {"request_id": expected_request_id, "version": expected_version}
    incompatible = [name for name in expected if handoff_state.get(name) != expected[name]]
    return {"ready": not missing and not incompatible, "missing": incompatible, "incompatible": missing}
