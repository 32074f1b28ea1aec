"""The main job on a sample class: `python -m autograde demo`."""
