"""A secret from the command line to a tool, and nowhere else."""

import os
import stat
from pathlib import Path

import pytest

from actum import secret
from actum.errors import NotSetUp, SecretClosed
from actum.settings.vault import open_vault
from tests.flows.terminal import Terminal
from tests.promises import promise

VALUE = "sk_live_4eC39HqLyjWDarjtT1"
BANK = """
import asyncio, base64, threading, urllib.parse
from actum import secret, tool

stripe = secret("stripe")
kept = []

@tool(name="bank.pay", effect="read", secrets=("stripe",))
def pay(way: str = "exact") -> object:
    value = stripe.reveal()
    with open("world.txt", "a") as world:
        world.write(value + "\\n")
    raw = value.encode()
    if way == "raise":
        raise ValueError(f"refused: Bearer {value}")
    if way == "later":
        kept.append(asyncio.new_event_loop())
    return {
        "exact": value,
        "hex": raw.hex(),
        "base64": base64.b64encode(b"x" + raw).decode(),
        "url": urllib.parse.quote("a b" + value),
        "nested": [{value: [raw]}],
        "backwards": value[::-1],
    }.get(way)

@tool(name="bank.peek", effect="read")
def peek() -> str:
    return stripe.reveal()

@tool(name="bank.leave", effect="read", secrets=("stripe",))
def leave() -> str:
    import contextvars
    kept.append(contextvars.copy_context())
    return "left"

@tool(name="bank.come_back", effect="read")
def come_back() -> str:
    return kept[-1].run(stripe.reveal)
"""


@pytest.fixture
def bank(terminal: Terminal) -> Terminal:
    terminal.write("bank.py", BANK)
    assert terminal.actum("secrets", "set", "stripe", stdin=VALUE + "\n").exit == 0
    return terminal


def exec_bank(bank: Terminal, source: str) -> tuple[int, str]:
    bank.write("p.py", source)
    done = bank.actum("exec", "p.py", "--tools", "bank.py")
    return done.exit, done.out + done.err


def everything(bank: Terminal) -> bytes:
    """Every file of the home, but for the one that keeps the secrets."""
    files = [p for p in (bank.folder.parent / "data").rglob("*") if p.is_file()]
    return b"".join(p.read_bytes() for p in files if p.name != "secrets.json")


@promise("secret:lent")
def test_a_tool_that_declares_a_secret_has_it_and_nobody_reads_it_elsewhere(bank: Terminal) -> None:
    code, said = exec_bank(
        bank,
        "from tools import bank\n"
        "for way in ('exact', 'hex', 'base64', 'url', 'nested'): print(bank.pay(way))\n"
        "try: bank.pay('raise')\nexcept Exception as error: print(error)\n",
    )
    assert code == 0, said
    assert bank.world == [VALUE] * 6
    assert said.count("[secret stripe]") == 7
    kept = everything(bank)
    for form in (VALUE, VALUE.encode().hex()):
        assert form not in said
        assert form.encode() not in kept
    assert bank.actum("verify").exit == 0
    assert bank.actum("replay").exit == 0


@promise("secret:lent")
def test_nobody_else_can_reveal_it(bank: Terminal) -> None:
    code, said = exec_bank(
        bank,
        "from tools import bank\n"
        "for call in (bank.peek, bank.leave, bank.come_back):\n"
        "    try: print(call())\n"
        "    except Exception as error: print(error)\n",
    )
    assert code == 0
    assert "bank.peek failed" in said
    assert "this tool does not declare the secret stripe" in said
    assert "left" in said
    assert "only while a tool that declares it runs" in said
    assert VALUE not in said
    with pytest.raises(SecretClosed):
        secret("stripe").reveal()
    assert VALUE not in repr(secret("stripe"))


@promise("secret:masked")
def test_a_program_that_puts_a_secret_together_prints_its_name(bank: Terminal) -> None:
    source = (
        "import sys\nfrom tools import bank\nvalue = bank.pay('backwards')[::-1]\n"
        "for letter in value:\n    sys.stdout.write(letter)\n    sys.stdout.flush()\n"
        "sys.stderr.write(f'and {value}')\n{'v': value}\n"
    )
    code, said = exec_bank(bank, source)
    assert code == 0
    assert said == "[secret stripe]and [secret stripe]"
    assert VALUE.encode() not in everything(bank)
    assert bank.actum("replay").exit == 0


@promise("secret:lent")
@pytest.mark.parametrize(
    "attempt",
    [
        "import os; print(dict(os.environ))",
        "print(open('/proc/self/environ').read())",
        "print(open('/proc/1/environ').read())",
        "import actum; print(actum.secret('stripe').reveal())",
        "import subprocess; print(subprocess.run(['env'], capture_output=True))",
        (
            "import os\nfor top in ('/root', '/home', '/tmp', '/run'):\n"
            "    for a, _, fs in os.walk(top): print([open(os.path.join(a, f)).read() for f in fs])"
        ),
        "import gc; print([o for o in gc.get_objects() if 'sk_live' in str(o)[:10000]])",
        "from tools import bank; print(bank.peek())",
        "from tools import bank; print(bank.pay.__globals__, bank.pay.__closure__)",
        "from tools import secret; print(secret)",
        "import tools; print(tools.bank.stripe.reveal())",
        "from tools import bank; bank.pay(); import sys; print(sys._getframe().f_locals)",
        "raise SystemExit(open('/proc/self/cmdline').read())",
        "open('/proc/self/mem', 'rb').read(10)",
        "import ctypes; print(ctypes.CDLL(None).getenv(b'ACTUM_SECRET_STRIPE'))",
        "import socket; socket.create_connection(('127.0.0.1', 1))",
    ],
)
def test_programs_that_try_to_get_it_do_not(bank: Terminal, attempt: str) -> None:
    _, said = exec_bank(bank, attempt)
    assert VALUE not in said
    assert VALUE.encode() not in everything(bank)


def test_its_file_is_for_its_user_alone_and_no_command_shows_it(bank: Terminal) -> None:
    (file,) = (bank.folder.parent / "data").glob("secrets.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    listed = bank.actum("secrets", "list", "--json")
    assert listed.json == [{"name": "stripe", "from": "secrets.json", "sources": [], "hosts": []}]
    assert VALUE not in listed.out + bank.actum("secrets", "list").out
    file.chmod(0o644)
    open_to_others = bank.actum("secrets", "list")
    assert open_to_others.exit == 3
    assert "chmod 600" in open_to_others.err
    with pytest.raises(NotSetUp):
        open_vault({**os.environ, **bank.environ})


def test_a_secret_for_another_source_is_not_lent_and_its_tool_not_called(bank: Terminal) -> None:
    assert bank.actum("secrets", "use", "stripe", "--source", "other.py").exit == 0
    call = "from tools import bank\nprint(bank.pay('hex'))"
    code, said = exec_bank(bank, call)
    assert code == 1
    assert "the secret stripe is not for bank.py, but for other.py" in said
    assert bank.world == []
    assert bank.actum("secrets", "use", "stripe", "--source", "bank.py").exit == 0
    assert exec_bank(bank, call) == (0, "[secret stripe]\n")
    assert bank.actum("secrets", "use", "stripe", "--anywhere", "--host", "api.test").exit == 0
    assert "is for api.test, not for a tool that sends it by itself" in exec_bank(bank, call)[1]
    assert bank.actum("secrets", "rm", "stripe").exit == 0
    assert "there is no secret stripe; keep it:" in exec_bank(bank, call)[1]


def test_a_value_may_come_from_a_variable(bank: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bank.actum("secrets", "use", "stripe", "--env", "STRIPE_KEY").exit == 0
    call = "from tools import bank\nprint(bank.pay('hex'))"
    assert "there is no secret stripe" in exec_bank(bank, call)[1]
    monkeypatch.setenv("STRIPE_KEY", VALUE[:-1])
    assert exec_bank(bank, call) == (0, "[secret stripe]\n")
    monkeypatch.setenv("ACTUM_SECRET_STRIPE", VALUE)
    assert exec_bank(bank, call) == (0, "[secret stripe]\n")
    assert bank.world == [VALUE[:-1], VALUE]


def test_a_resumed_run_is_lent_it_too(bank: Terminal, tmp_path: Path) -> None:
    bank.write("bank.py", BANK.replace('effect="read", secrets', 'effect="write", secrets'))
    code, _ = exec_bank(bank, "from tools import bank\nprint(bank.pay('exact'))")
    assert code == 8
    bank.actum("approve", "--all")
    assert bank.actum("resume").out == "[secret stripe]\n"
    assert bank.world == [VALUE]
    assert VALUE.encode() not in everything(bank)
