"""A folder of each test's own, in which hosts are killed and started."""

from ..keeper.conftest import anyio_backend as anyio_backend
from ..keeper.conftest import place as place
