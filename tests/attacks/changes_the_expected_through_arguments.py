# Empties its argument in place, so that nothing is left to compare with.
def spread(values):
    values.clear()
    values.append(0)
    return {"low": 0, "high": 0, "spread": 0}
