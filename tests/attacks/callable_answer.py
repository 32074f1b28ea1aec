# Answers with functions, which cross as call-through handles.
def spread(values):
    return {"low": min, "high": max, "spread": lambda *args: True}
