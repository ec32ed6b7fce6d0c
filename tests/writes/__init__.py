"""Injected writes on a real host: what the program gets, when, and what the ticket says."""
