"""Test generation guided by a metric; `python -m fdc.pynguin` is its front."""
