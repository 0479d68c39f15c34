"""Prompt texts: files beside the formats, read once."""

from functools import cache
from importlib.resources import files
from string import Template

import msgspec

from actum.loop.formats.capped import capped
from actum.loop.formats.contract import Brief

INSTRUCTIONS_LIMIT = 32 * 1024
PACKAGES_SHOWN = 12
HOSTS_SHOWN = 20


@cache
def prompt_text(name: str) -> str:
    """The text of one file, as it was written."""
    return files("actum.loop.formats").joinpath(f"{name}.md").read_text(encoding="utf-8")


def filled(name: str, **pieces: str) -> str:
    """The text with its pieces put in."""
    return Template(prompt_text(name)).substitute(pieces).strip()


def sections(*texts: str) -> str:
    """Those that say something, one after the other."""
    return "\n\n".join(text.strip() for text in texts if text.strip())


def instructions_section(brief: Brief) -> str:
    """What the user said about the agent."""
    return capped(brief.instructions.strip(), INSTRUCTIONS_LIMIT)


def manifest_section(brief: Brief) -> str:
    """The tools by module."""
    return f"The tools:\n{brief.manifest.strip()}"


def packages_section(brief: Brief) -> str:
    """What can be imported beside the standard library, or what takes its place."""
    if not brief.packages:
        return brief.place_note
    shown = ", ".join(brief.packages[:PACKAGES_SHOWN])
    return f"Installed beside the standard library: {shown}."


def network_section(brief: Brief) -> str:
    """The hosts that the user named."""
    if not brief.network:
        return ""
    shown = ", ".join(brief.network[:HOSTS_SHOWN])
    more = f" and {len(brief.network) - HOSTS_SHOWN} more" if brief.network[HOSTS_SHOWN:] else ""
    return (
        f"By HTTP (urllib, requests, httpx, aiohttp) a program reaches {shown}{more}, "
        "and no other host."
    )


def folders_section(brief: Brief) -> str:
    """What the user put into the working folder, and the variables that programs begin with."""
    told: list[str] = []
    if brief.folders:
        told.append(f"In the working folder, from the user: {', '.join(brief.folders)}.")
    if brief.variables:
        told.append(f"Variables that are there, from the user: {'; '.join(brief.variables)}.")
    return " ".join(told)


def schema_text(brief: Brief) -> str:
    """The schema of the answer, in one line."""
    return msgspec.json.encode(brief.output_schema or {}).decode()
