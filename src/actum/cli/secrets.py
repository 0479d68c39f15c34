"""`actum secrets`: keep a secret, and say who may use it. A value is never shown."""

import getpass
import sys

import click
import msgspec

from actum.cli.frame import Frame
from actum.errors import SecretMissing, UserMistake
from actum.gate.masking import SHORTEST
from actum.records.values import JSON
from actum.settings.vault import KeptSecret, Vault, forget, keep, open_vault


@click.group("secrets")
def command() -> None:
    """Keep secrets for tools. No program and no model ever sees one."""


@command.command("set")
@click.argument("name")
@click.option("--source", "sources", multiple=True, help="Only for this source: shop.py, github.")
@click.option("--host", "hosts", multiple=True, help="Only to be sent to this host.")
@click.pass_obj
def set_secret(
    frame: Frame, *, name: str, sources: tuple[str, ...], hosts: tuple[str, ...]
) -> None:
    """Keep the value that comes on standard input; hidden where it is typed."""
    before = open_vault(frame.environ).kept(name)
    value = _value(name)
    kept = KeptSecret(value=value, sources=sources or before.sources, hosts=hosts or before.hosts)
    keep(name, kept, frame.environ)
    if len(value) < SHORTEST:
        frame.screen.notice(
            f"{name} has fewer than {SHORTEST} characters: it is not taken out of what comes back"
        )
    _told(frame, name)


@command.command("list")
@click.pass_obj
def list_secrets(frame: Frame) -> None:
    """List names, where each value is, and who may use it."""
    vault = open_vault(frame.environ)
    if frame.screen.as_json:
        frame.screen.document([_fields(vault, name) for name in vault.names])
        return
    for name in vault.names:
        frame.screen.data(_line(vault, name))
    if not vault.names:
        frame.screen.narrate("no secret is kept; keep one:   actum secrets set NAME")


@command.command("rm")
@click.argument("name")
@click.pass_obj
def remove(frame: Frame, *, name: str) -> None:
    """Keep a secret no longer."""
    forget(name, frame.environ)
    if frame.screen.as_json:
        frame.screen.document({"name": name, "removed": True})
    else:
        frame.screen.narrate(f"{name} is no longer kept")


@command.command("use")
@click.argument("name")
@click.option("--source", "sources", multiple=True, help="Let this source use it: shop.py, github.")
@click.option("--host", "hosts", multiple=True, help="Let it be sent to this host.")
@click.option("--env", "variable", metavar="VARIABLE", help="Take its value from this variable.")
@click.option("--anywhere", is_flag=True, help="Any source that declares it, any host.")
@click.pass_obj
def use(
    frame: Frame,
    *,
    name: str,
    sources: tuple[str, ...],
    hosts: tuple[str, ...],
    variable: str | None,
    anywhere: bool,
) -> None:
    """Say who may use a secret, or which variable holds it. What is named is added."""
    if not (sources or hosts or variable or anywhere):
        raise UserMistake(
            "nothing is said about who may use it",
            hints=(f"for example:   actum secrets use {name} --source shop.py",),
        )
    vault = open_vault(frame.environ)
    if variable is None and name not in vault.names:
        raise SecretMissing(
            f"there is no secret {name}", hints=(f"keep it:   actum secrets set {name}",)
        )
    kept = vault.kept(name)
    if anywhere:
        kept = msgspec.structs.replace(kept, sources=(), hosts=())
    if variable:
        # One place for a value: what the file held is dropped.
        kept = msgspec.structs.replace(kept, variable=variable, value="")
    kept = msgspec.structs.replace(
        kept,
        sources=tuple(dict.fromkeys((*kept.sources, *sources))),
        hosts=tuple(dict.fromkeys((*kept.hosts, *hosts))),
    )
    keep(name, kept, frame.environ)
    _told(frame, name)


def _value(name: str) -> str:
    typed = sys.stdin.isatty()
    value = getpass.getpass(f"{name}: ") if typed else sys.stdin.read()
    value = value.removesuffix("\n").removesuffix("\r")
    if not value:
        raise UserMistake(
            "the value is empty", hints=(f"give it on standard input:   actum secrets set {name}",)
        )
    return value


def _told(frame: Frame, name: str) -> None:
    vault = open_vault(frame.environ)
    if frame.screen.as_json:
        frame.screen.document(_fields(vault, name))
    else:
        frame.screen.narrate(_line(vault, name))


def _fields(vault: Vault, name: str) -> dict[str, JSON]:
    kept = vault.kept(name)
    return {
        "name": name,
        "from": vault.origin(name) or None,
        "sources": list(kept.sources),
        "hosts": list(kept.hosts),
    }


def _line(vault: Vault, name: str) -> str:
    kept = vault.kept(name)
    origin = vault.origin(name) or f"nowhere: {kept.variable or 'its value'} is not set"
    sources = ", ".join(kept.sources) or "every source that declares it"
    hosts = f", to {', '.join(kept.hosts)}" if kept.hosts else ""
    return f"{name:<16} {origin:<24} for {sources}{hosts}"
