"""The `panebridge` command: `mcp` and `report` go to code that starts fast, the rest to the full CLI."""

import sys


def main() -> int:
    """Run the command line; the exit code is that of the subcommand."""
    match sys.argv[1:2]:
        case ["mcp"]:
            from mcp_bridge.shim import main as shim

            return shim(sys.argv[2:])
        case ["report"]:
            from session_core.report import main as report

            return report(sys.argv[2:])
    from mcp_bridge.cli import main as cli

    return cli()


if __name__ == "__main__":
    sys.exit(main())
