# Structural pattern matching on each field.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    check_state(handoff_state, expected_request_id, expected_version)
    missing, incompatible = [], []
    for name in ("payload_ready", "metadata_ready", "ownership_ready"):
        match handoff_state:
            case {**fields} if fields.get(name) is True:
                pass
            case _:
                missing.append(name)
    for name, value in (("request_id", expected_request_id), ("version", expected_version)):
        match handoff_state.get(name):
            case found if found == value:
                pass
            case _:
                incompatible.append(name)
    return {"ready": not missing and not incompatible, "missing": missing, "incompatible": incompatible}
