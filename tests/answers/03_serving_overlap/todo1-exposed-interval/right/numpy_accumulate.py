# numpy: running maximum of the right ends, each window adds what reaches beyond it.
import numpy as np


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    total = np.float64(end) - start
    if len(cover_intervals) == 0:
        return {"total_ms": total, "hidden_ms": np.float64(0), "exposed_ms": total}
    windows = np.asarray(cover_intervals, dtype=np.float64)
    windows = np.clip(windows[windows[:, 0].argsort(kind="stable")], start, end)
    reached = np.maximum.accumulate(np.concatenate([[start], windows[:-1, 1]]))
    hidden = np.maximum(windows[:, 1] - np.maximum(windows[:, 0], reached), 0.0).sum()
    return {"total_ms": total, "hidden_ms": hidden, "exposed_ms": total - hidden}
