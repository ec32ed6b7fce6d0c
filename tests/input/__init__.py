"""Tests of what a person types: the origin of a viewer's bytes, and the bytes of named keys."""
