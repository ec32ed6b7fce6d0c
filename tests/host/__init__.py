"""Tests of the PTY host: real programs in real terminals of a real host process."""
