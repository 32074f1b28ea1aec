# Raises exceptions that end programs: SystemExit, KeyboardInterrupt, GeneratorExit.
def spread(values):
    raise [SystemExit(0), KeyboardInterrupt(), GeneratorExit()][len(values) % 3]
