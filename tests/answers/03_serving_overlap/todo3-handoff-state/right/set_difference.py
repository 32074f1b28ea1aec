# Set arithmetic, put back into order at the end.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    check_state(handoff_state, expected_request_id, expected_version)
    order = ["payload_ready", "metadata_ready", "ownership_ready", "request_id", "version"]
    true_fields = {name for name in order[:3] if handoff_state.get(name)}
    wanted = {("request_id", expected_request_id), ("version", expected_version)}
    matching = {name for name, value in wanted & set(handoff_state.items())}
    missing = sorted(set(order[:3]) - true_fields, key=order.index)
    incompatible = sorted(set(order[3:]) - matching, key=order.index)
    return {"ready": not (missing + incompatible), "missing": missing, "incompatible": incompatible}
