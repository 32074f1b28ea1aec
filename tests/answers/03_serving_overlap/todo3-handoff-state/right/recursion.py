# Recursion over the names, early return for an empty state.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    def collect(names, is_bad):
        if not names:
            return []
        first, *rest = names
        return ([first] if is_bad(first) else []) + collect(rest, is_bad)

    flags = ["payload_ready", "metadata_ready", "ownership_ready"]
    if not handoff_state:
        return {"ready": False, "missing": flags, "incompatible": ["request_id", "version"]}
    wanted = {"request_id": expected_request_id, "version": expected_version}
    report = {
        "missing": collect(flags, lambda name: not handoff_state.get(name)),
        "incompatible": collect(list(wanted), lambda name: handoff_state.get(name) != wanted[name]),
    }
    report["ready"] = report["missing"] == [] and report["incompatible"] == []
    return report
