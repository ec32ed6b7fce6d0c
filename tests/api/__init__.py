"""Tests of `session_core.api`: lines, envelopes, and the table of methods."""
