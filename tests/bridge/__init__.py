"""Tests of the MCP bridge, end to end: a real client, the shim, the bridge, the host and real programs."""
