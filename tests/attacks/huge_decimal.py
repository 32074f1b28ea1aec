# A Decimal whose exponent makes a billion digits of it.
from decimal import Decimal


def spread(values):
    return {"low": Decimal("1E+999999"), "high": 0, "spread": Decimal("1E+999999")}
