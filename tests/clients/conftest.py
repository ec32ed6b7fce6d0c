"""The bridge's tests lend their place and their panes."""

from tests.bridge.conftest import anyio_backend as anyio_backend
from tests.bridge.conftest import era as era
from tests.bridge.conftest import place as place
from tests.bridge.conftest import tools as tools
