"""Grade Jupyter notebooks: parallel, sandboxed, compatible with nbgrader."""
