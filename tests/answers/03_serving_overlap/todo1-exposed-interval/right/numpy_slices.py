# numpy: edges as an array, one boolean mask of covered slices.
import numpy as np


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    windows = np.clip(np.array(cover_intervals, dtype=float).reshape(-1, 2), start, end)
    edges = np.unique(np.concatenate([[start, end], windows.ravel()]))
    left, right = edges[:-1], edges[1:]
    covered = ((windows[:, :1] <= left) & (right <= windows[:, 1:])).any(axis=0)
    hidden = float(np.sum((right - left)[covered]))
    return {"total_ms": end - start, "hidden_ms": hidden, "exposed_ms": end - start - hidden}
