# A small answer that unfolds into 2**60 values.
def spread(values):
    bomb = [0]
    for _ in range(60):
        bomb = [bomb, bomb]
    return {"low": bomb, "high": bomb, "spread": bomb}
