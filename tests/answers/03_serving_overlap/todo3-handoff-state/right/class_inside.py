# A class inside the function that keeps both lists.
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    class Verdict:
        def __init__(self):
            self.missing, self.incompatible = [], []

        def require(self, name):
            if not handoff_state.get(name, False):
                self.missing.append(name)
            return self

        def equal(self, name, value):
            if handoff_state.get(name) != value:
                self.incompatible.append(name)
            return self

        @property
        def ready(self):
            return not self.missing and not self.incompatible

    verdict = Verdict().require("payload_ready").require("metadata_ready").require("ownership_ready")
    verdict.equal("request_id", expected_request_id).equal("version", expected_version)
    return {"ready": verdict.ready, **vars(verdict)}
