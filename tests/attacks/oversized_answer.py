# An answer of a hundred megabytes.
def spread(values):
    return {"low": "x" * 100_000_000, "high": 0, "spread": -1}
