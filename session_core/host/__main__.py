"""`python -m session_core.host` runs the host process."""

import sys

from session_core.host.main import main

sys.exit(main())
