"""Measurements: `python -m tests.bench [NAME ...]` prints a table for each; nothing is asserted on time."""
