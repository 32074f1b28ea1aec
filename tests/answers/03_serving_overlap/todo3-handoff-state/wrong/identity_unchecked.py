# Compares neither id nor version.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    check_state(handoff_state, expected_request_id, expected_version)
    required = ["payload_ready", "metadata_ready", "ownership_ready"]
    missing = [name for name in required if not handoff_state.get(name, False)]
    incompatible = []
    return {"ready": not missing and not incompatible, "missing": missing, "incompatible": incompatible}
