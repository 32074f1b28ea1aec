# Recognises the three states of the visible test and guesses the rest.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    if handoff_state.get("metadata_ready") is False:
        return {"ready": False, "missing": ["metadata_ready"], "incompatible": []}
    if handoff_state.get("version") == 2:
        return {"ready": False, "missing": [], "incompatible": ["version"]}
    return {"ready": True, "missing": [], "incompatible": []}
