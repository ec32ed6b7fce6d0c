"""Tests of the screen engines."""
