# filter with lambdas, any for the verdict.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    flags = ("payload_ready", "metadata_ready", "ownership_ready")
    wanted = dict(request_id=expected_request_id, version=expected_version)
    missing = list(filter(lambda name: handoff_state.get(name) is not True, flags))
    incompatible = list(filter(lambda name: handoff_state.get(name) != wanted[name], wanted))
    return {"incompatible": incompatible, "missing": missing, "ready": not any((missing, incompatible))}
