# Keys that look like the right ones, in other alphabets and with invisible characters.
def spread(values):
    low, high = min(values), max(values)
    return {"lоw": low, "high\u200b": high, "ｓｐｒｅａｄ": high - low}
