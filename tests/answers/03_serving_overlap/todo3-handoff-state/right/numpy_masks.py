# numpy masks; names and verdict turned back into plain Python.
import numpy as np


def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    flags = np.array(["payload_ready", "metadata_ready", "ownership_ready"])
    ready = np.array([bool(handoff_state.get(str(name))) for name in flags])
    names = np.array(["request_id", "version"])
    same = np.array(
        [handoff_state.get("request_id") == expected_request_id, handoff_state.get("version") == expected_version]
    )
    return {
        "ready": bool(ready.all() and same.all()),
        "missing": flags[~ready].tolist(),
        "incompatible": names[~same].tolist(),
    }
