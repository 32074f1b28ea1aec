# An answer nested a hundred thousand levels deep.
def spread(values):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return deep
