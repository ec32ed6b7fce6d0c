"""Tests of what a pane's output becomes on its screen, through a real host with either engine."""
