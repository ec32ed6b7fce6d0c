"""Tests of `session_core.model`: what the core knows about a pane, and how waits end on it."""
