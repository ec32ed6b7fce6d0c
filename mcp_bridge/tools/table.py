"""Every tool, in the order in which a client lists them."""

from mcp_bridge.tools import commands, input, output, panes, waiting
from mcp_bridge.tools.contract import Tool

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for family in (panes.TOOLS, output.TOOLS, input.TOOLS, commands.TOOLS, waiting.TOOLS)
    for tool in family
}
