# A heap hands out the windows by start; the open block is closed when a gap comes.
import heapq


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    heap = [tuple(window) for window in cover_intervals]
    heapq.heapify(heap)
    hidden_ms, block_left, block_right = 0.0, start, start
    while heap:
        left, right = heapq.heappop(heap)
        if left > block_right:
            hidden_ms += block_right - block_left
            block_left = min(left, end)
            block_right = block_left
        block_right = min(end, max(block_right, right))
    hidden_ms += block_right - block_left
    return {"total_ms": end - start, "hidden_ms": hidden_ms, "exposed_ms": end - start - hidden_ms}
