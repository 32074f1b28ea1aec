# Recursion without end inside the call and in __repr__.
import sys


class Echo:
    def __repr__(self):
        return repr(self)


def spread(values):
    if len(values) > 3:
        return Echo()
    return spread(values)
