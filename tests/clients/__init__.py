"""Clients that others made, against the real server."""
