"""A pane's name and tags can be changed: all that is asked for, or nothing."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from session_core import Cause, ChangeBatch, Client, NoSuchPane, SessionCoreError, Subject, connect

from .waiting import exit_of

pytestmark = pytest.mark.anyio


@pytest.fixture
async def pane(core: Client) -> str:
    """A pane without a name."""
    return (await core.open_pane(["cat"], columns=80, rows=24)).pane


@pytest.fixture
async def changes(core: Client) -> AsyncIterator[Any]:
    """The changes that another client hears of."""
    async with connect(start=False) as other:
        await other.watch_changes(output=False)
        yield other.changes()


async def test_a_name_can_be_given_changed_and_removed(core: Client, pane: str) -> None:
    named = await core.set_pane(pane, name="build")
    assert (named.name, (await core.read_status("build")).pane) == ("build", pane)
    assert (await core.set_pane("build", name="test")).name == "test"
    with pytest.raises(NoSuchPane):
        await core.read_status("build")
    assert (await core.set_pane("test", name="")).name is None
    assert [status.name for status in (await core.list_panes()).panes] == [None]


async def test_tags_replace_those_before_and_are_listed(core: Client, pane: str) -> None:
    await core.set_pane(pane, tags=["review", "urgent", "review"])
    assert [status.tags for status in (await core.list_panes()).panes] == [("review", "urgent")]
    assert (await core.set_pane(pane, tags=["done"])).tags == ("done",)
    assert (await core.set_pane(pane, name="x")).tags == ("done",)
    assert (await core.set_pane(pane, tags=[])).tags == ()


async def test_each_thing_that_changes_has_a_change_and_what_stays_has_none(
    core: Client, pane: str, changes: Any
) -> None:
    before = (await core.read_status(pane)).revision
    status = await core.set_pane(pane, name="build", columns=90, rows=24, tags=["a"])
    seen: list[Any] = []
    async for batch in changes:
        assert isinstance(batch, ChangeBatch)
        seen += batch.changes
        if len(seen) >= 3:
            break
    assert [(change.subject, change.cause) for change in seen] == [
        (Subject.SIZE, Cause.REQUEST),
        (Subject.NAME, Cause.REQUEST),
        (Subject.TAGS, Cause.REQUEST),
    ]
    assert before < seen[0].revision < seen[1].revision < seen[2].revision == status.revision
    again = await core.set_pane(pane, name="build", columns=90, rows=24, tags=["a"])
    assert again.revision == status.revision
    assert (await core.set_pane(pane)).revision == status.revision


async def test_a_name_that_a_running_pane_has_is_refused_and_nothing_is_changed(core: Client, pane: str) -> None:
    await core.open_pane(["cat"], name="taken")
    with pytest.raises(SessionCoreError) as raised:
        await core.set_pane(pane, name="taken", columns=100, rows=50, tags=["t"])
    assert raised.value.code == "name_taken"
    status = await core.read_status(pane)
    assert (status.name, status.columns, status.rows, status.tags) == (None, 80, 24, ())
    assert (await core.set_pane("taken", name="taken")).name == "taken"


@pytest.mark.parametrize("name", ["p1", "p99999", "1a", "a b", "x" * 65])
async def test_a_name_that_no_pane_can_have_is_refused(core: Client, pane: str, name: str) -> None:
    with pytest.raises(SessionCoreError) as raised:
        await core.set_pane(pane, name=name)
    assert raised.value.code == "bad_request"


async def test_an_ended_pane_can_be_named_but_has_no_other_size(core: Client) -> None:
    pane = (await core.open_pane(["true"])).pane
    await exit_of(core, pane)
    with pytest.raises(SessionCoreError) as raised:
        await core.set_pane(pane, name="kept", columns=90)
    assert raised.value.code == "pane_exited"
    assert (await core.read_status(pane)).name is None
    assert (await core.set_pane(pane, name="kept", tags=["old"])).tags == ("old",)


async def test_a_name_means_the_running_pane_before_an_ended_one_that_is_newer(core: Client, pane: str) -> None:
    ended = (await core.open_pane(["true"], name="twice")).pane
    await exit_of(core, ended)
    assert (await core.read_status("twice")).pane == ended
    await core.set_pane(pane, name="twice")
    assert (await core.read_status("twice")).pane == pane


async def test_a_pane_that_does_not_exist_cannot_be_set(core: Client) -> None:
    with pytest.raises(NoSuchPane):
        await core.set_pane("nobody", name="x")
