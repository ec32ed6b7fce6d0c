"""Tests of `session_core.protocol`: what a pane's output bytes mean, however they are cut."""
