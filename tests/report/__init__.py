"""Tests of `session_core.report` and of the example that uses it, on real pseudo-terminals."""
