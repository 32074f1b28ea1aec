# A small class inside the function keeps the union of what it has seen.
def compute_exposed_interval(transfer_interval, cover_intervals):
    class Union:
        def __init__(self, low, high):
            self.low, self.high, self.blocks = low, high, []

        def add(self, left, right):
            left, right = max(self.low, left), min(self.high, right)
            if left >= right:
                return self
            apart = [block for block in self.blocks if block[1] < left or right < block[0]]
            near = [block for block in self.blocks if block not in apart]
            left = min([left, *(block[0] for block in near)])
            right = max([right, *(block[1] for block in near)])
            self.blocks = [*apart, (left, right)]
            return self

        def __len__(self):
            return len(self.blocks)

        @property
        def length(self):
            return sum(right - left for left, right in self.blocks)

    start, end = check_interval("transfer_interval", transfer_interval)
    union = Union(start, end)
    for window in cover_intervals:
        union.add(*window)
    return {
        "total_ms": end - start,
        "hidden_ms": union.length,
        "exposed_ms": end - start - union.length,
    }
