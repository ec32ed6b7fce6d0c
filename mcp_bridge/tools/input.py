"""Tools that write into a pane: text, keys, and taking back what is still held."""

from typing import Annotated, Any, Literal

from pydantic import Field

from mcp_bridge import results
from mcp_bridge.core_link import CoreLink
from mcp_bridge.results import Json
from mcp_bridge.tools.contract import Arguments, Caller, PaneArgument, Rest, Tool, Waits, fields
from session_core import Outcome, WriteReceipt

TEXT_CHARACTERS = 1_000_000


class Injected(Arguments):
    """Where to write, and what every injected write may demand."""

    pane: PaneArgument
    answers: Annotated[int, Field(ge=0, description="Blocked pane: number of its question")] = 0
    if_revision: Annotated[int, Field(ge=0, description="Only if no turn came after this revision")] = 0
    wait_s: Annotated[float, Field(ge=0, description="Also wait for the outcome")] = 0.0

    def demands(self, caller: Caller) -> Any:
        """What goes with the write to the core; an empty field demands nothing."""
        return {
            "author": caller.name,
            "answers": self.answers or None,
            "if_revision": self.if_revision or None,
            "from_pane": caller.pane,
            "wait_s": self.wait_s,
            "key": caller.origin.key,
        }


class WritePane(Injected):
    """What to write, and when."""

    text: Annotated[str, Field(max_length=TEXT_CHARACTERS, description="Literal text, no key names")]
    submit: Annotated[bool, Field(description="Press Enter after it")] = True
    multiline: Annotated[
        Literal["paste", "lines"], Field(description="lines: where no paste is possible, submit each line")
    ] = "paste"
    if_state: Annotated[
        Literal["", "idle", "working", "done", "blocked", "error", "unknown"], Field(description="Only in this state")
    ] = ""
    if_occupant: Annotated[str, Field(description="Only if this program (name or pid) is in front")] = ""
    on_draft: Annotated[
        Literal["refuse", "hold"], Field(description="hold: deliver it once a person's draft is gone")
    ] = "refuse"
    when: Annotated[Literal["now", "settled"], Field(description="settled: hold it until the pane is at rest")] = "now"
    key: Annotated[str, Field(max_length=200, description="Idempotency key: a repeat writes nothing")] = ""
    secret: Annotated[bool, Field(description="Allow it at a password prompt")] = False

    def demands(self, caller: Caller) -> Any:
        """What goes with the write to the core; an empty field demands nothing."""
        return super().demands(caller) | {
            "if_state": self.if_state or None,
            "if_occupant": self.if_occupant or None,
            "on_draft": self.on_draft,
            "when": self.when,
            "key": self.key or caller.origin.key,
            "secret": self.secret,
        }


class SendKeys(Injected):
    """Which keys to press."""

    keys: Annotated[list[str], Field(min_length=1, max_length=1000, description="Enter, Escape, Up, F5, C-c, M-x ...")]


class CancelWrite(Arguments):
    """Which held write."""

    ticket: Annotated[str, Field(min_length=1, max_length=32, description="Ticket of a held write")]


async def write_pane(link: CoreLink, caller: Caller, arguments: WritePane) -> Json:
    """Write for the program; it never counts as a person's typing."""
    receipt = await link.call(
        lambda core: core.write_pane(
            arguments.pane,
            arguments.text,
            submit=arguments.submit,
            multiline=arguments.multiline,
            **arguments.demands(caller),
        )
    )
    return results.receipt(receipt)


async def send_keys(link: CoreLink, caller: Caller, arguments: SendKeys) -> Json:
    """Press keys."""
    receipt = await link.call(lambda core: core.send_keys(arguments.pane, arguments.keys, **arguments.demands(caller)))
    return results.receipt(receipt)


def wait_on(_: Injected, written: Json) -> Rest | None:
    """What a write that only looked at its outcome leaves to wait for; it is not written again."""
    if written.get("wait", {}).get("outcome") != Outcome.CHECKIN:
        return None
    pane, ticket = written["pane"], written["ticket"]

    async def rest(link: CoreLink, wait_s: float) -> Json:
        result = await link.call(lambda core: core.wait([pane], since=ticket, timeout_s=wait_s))
        known = await link.call(lambda core: core.read_ticket(ticket))
        return results.receipt(WriteReceipt(known, result.started, result))

    return rest


async def cancel_write(link: CoreLink, caller: Caller, arguments: CancelWrite) -> Json:
    """Take back a held write."""
    return results.ticket(await link.call(lambda core: core.cancel_write(arguments.ticket, key=caller.origin.key)))


_RECEIPT = fields("ticket", "status", "revision", ticket="string", status="string", revision="integer")

TOOLS = (
    Tool(
        name="write_pane",
        title="Write to pane",
        description=(
            "Give text to a pane's program, such as a prompt for an agent. Then wait_idle with since = the returned "
            "ticket, or use wait_s. A blocked pane needs `answers`, the number that list_panes and wait_idle show. "
            "Refused, with nothing typed, while a person has a half-typed text there."
        ),
        arguments=WritePane,
        result=_RECEIPT,
        run=write_pane,
        read_only=False,
        destructive=True,
        waits=Waits("wait_s", wait_on),
    ),
    Tool(
        name="send_keys",
        title="Send keys",
        description="Press named keys in a pane, such as arrows in a menu or C-c. For text use write_pane.",
        arguments=SendKeys,
        result=_RECEIPT,
        run=send_keys,
        read_only=False,
        destructive=True,
        waits=Waits("wait_s", wait_on),
    ),
    Tool(
        name="cancel_write",
        title="Cancel write",
        description="Take back a write that is still held.",
        arguments=CancelWrite,
        result=_RECEIPT,
        run=cancel_write,
        read_only=False,
        idempotent=True,
    ),
)
