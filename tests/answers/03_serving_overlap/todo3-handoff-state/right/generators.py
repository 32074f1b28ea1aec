# Two generators, gathered into lists; a defaulted copy of the state.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    check_state(handoff_state, expected_request_id, expected_version)
    flags = {"payload_ready": False, "metadata_ready": False, "ownership_ready": False}
    state = {**flags, **handoff_state}

    def not_ready():
        yield from (name for name in flags if not state[name])

    def not_matching():
        if state.get("request_id") != expected_request_id:
            yield "request_id"
        if state.get("version") != expected_version:
            yield "version"

    missing, incompatible = list(not_ready()), list(not_matching())
    return {"ready": missing + incompatible == [], "missing": missing, "incompatible": incompatible}
