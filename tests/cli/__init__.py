"""Tests of the commands, as a person or a script runs them."""
