"""Reads of panes: what is shown, what went by, and what is said of the rest, on real hosts and programs."""
