"""The MCP bridge of panebridge."""
