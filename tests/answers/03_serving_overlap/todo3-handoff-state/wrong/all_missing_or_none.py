# If one is missing, all three are named.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    check_state(handoff_state, expected_request_id, expected_version)
    required = ["payload_ready", "metadata_ready", "ownership_ready"]
    missing = [] if all(handoff_state.get(name) for name in required) else required
    expected = {"request_id": expected_request_id, "version": expected_version}
    incompatible = [name for name in expected if handoff_state.get(name) != expected[name]]
    return {"ready": not missing and not incompatible, "missing": missing, "incompatible": incompatible}
