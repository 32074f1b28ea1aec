"""The commands of ``python -m autograde``, one module each."""
