"""Tests of what stands between a tool's write and a program: draft, composing, guard, tickets, queue."""
