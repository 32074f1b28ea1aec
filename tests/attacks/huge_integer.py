# An integer of half a million digits.
def spread(values):
    huge = 1 << 2_000_000
    return {"low": huge, "high": huge, "spread": huge}
