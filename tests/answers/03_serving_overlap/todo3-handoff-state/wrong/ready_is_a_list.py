# Hands out a list where True or False was asked for.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    check_state(handoff_state, expected_request_id, expected_version)
    required = ["payload_ready", "metadata_ready", "ownership_ready"]
    missing = [name for name in required if not handoff_state.get(name, False)]
    expected = {"request_id": expected_request_id, "version": expected_version}
    incompatible = [name for name in expected if handoff_state.get(name) != expected[name]]
    return {"ready": missing or incompatible or True, "missing": missing, "incompatible": incompatible}
