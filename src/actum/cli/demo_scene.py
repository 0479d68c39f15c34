"""What the demo plays: three tools over made-up data, and the answers of a scripted model."""

import json

from actum.models.scripted import Scripted, ScriptedReply, scripted
from actum.records.messages import NativeCall, Reply
from actum.tools.declaration import tool

Wanted = tuple[str, dict[str, str]]
TASK = "Which customers owe more than 100, and by how much in total? Remind them."
_DUE = {"c1": 40, "c2": 310, "c3": 95, "c4": 120, "c5": 205}
SENT: list[str] = []


@tool(name="crm.list", effect="read")
def list_customers() -> list[str]:
    """Ids of all customers."""
    return list(_DUE)


@tool(name="crm.get", effect="read")
def get_customer(customer: str) -> dict[str, object]:
    """One customer, with what is due."""
    return {"id": customer, "mail": f"{customer}@example.com", "due": _DUE[customer]}


@tool(name="mail.send", effect="write")
def send_mail(to: str, body: str) -> str:
    """Send a mail."""
    SENT.append(f"{to}: {body}")
    return "sent"


TOOLS = (list_customers, get_customer, send_mail)

_PROGRAM = """\
import tools
from tools import crm, mail

late = [c for c in tools.parallel(crm.get, crm.list()) if c.due > 100]
for c in late:
    print(c.id, c.due)
tools.parallel(lambda c: mail.send(to=c.mail, body=f"{c.due} is due"), late)
print(len(late), "reminded, together", sum(c.due for c in late))"""

_BY_PROGRAM = (
    f"I will do it in one program.\n```python\n{_PROGRAM}\n```",
    "Three customers owe more than 100: c2, c4 and c5, together 635. Each has been reminded.",
)

REACHES = """\
import os, socket, subprocess

def attempt(what, act):
    try:
        act()
        print(f"{what:<24} REACHED")
    except Exception as error:
        print(f"{what:<24} refused: {type(error).__name__}")

attempt("a key in the environment", lambda: os.environ["ACTUM_DEMO_KEY"])
attempt("the password file", lambda: open("/etc/shadow").read())
attempt("the network", lambda: socket.create_connection(("127.0.0.1", 22), 1))
attempt("another process", lambda: subprocess.run(["/bin/echo", "hi"]))"""


def by_program() -> Scripted:
    """A model that writes one program."""
    return scripted(_BY_PROGRAM)


def by_calls(*, at_once: bool) -> Scripted:
    """A model that calls the same tools by JSON: one a turn, or side by side where it can."""
    late = {customer: due for customer, due in _DUE.items() if due > 100}
    first: list[Wanted] = [("crm.list", {})]
    gets: list[Wanted] = [("crm.get", {"customer": customer}) for customer in _DUE]
    mails: list[Wanted] = [
        ("mail.send", {"to": f"{customer}@example.com", "body": f"{due} is due"})
        for customer, due in late.items()
    ]
    turns = [first, gets, mails] if at_once else [[call] for call in [*first, *gets, *mails]]
    replies: list[ScriptedReply] = [_calls(number, calls) for number, calls in enumerate(turns)]
    return scripted([*replies, _BY_PROGRAM[-1]])


def _calls(turn: int, calls: list[Wanted]) -> Reply:
    return Reply(
        parts=tuple(
            NativeCall(id=f"call-{turn}-{number}", name=name, arguments=json.dumps(arguments))
            for number, (name, arguments) in enumerate(calls)
        ),
        stop="calls",
    )
