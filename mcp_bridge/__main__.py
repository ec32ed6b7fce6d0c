"""`python -m mcp_bridge` runs the bridge process."""

import sys

from mcp_bridge.main import main

sys.exit(main())
