"""Helpers that the notebooks import, and what authors run (`tools.authoring`)."""
