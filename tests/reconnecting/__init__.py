"""Tests of connections that break: what was called is done once and answered, whatever is cut, and when."""
