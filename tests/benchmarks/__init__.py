"""Benchmarks of the grader against plain nbgrader: `make bench`."""
