"""panebridge's MCP server: tools over the session core. See README.md beside this file.

Deliberately empty: the shim must start with the standard library alone.
"""
