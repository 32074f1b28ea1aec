# Thousands of keys that all have the same hash.
def spread(values):
    prime = 2**61 - 1
    return {key * prime: 0 for key in range(8_000)}
