"""What the walls of this machine lack, why, and what would give it more."""

import os
import sys
from pathlib import Path
from typing import TypedDict

import msgspec

from actum.places.local.zygote_process import Refusal

PROFILE = Path(__file__).with_name("apparmor.profile")
OPERATION_REFUSED = "Operation not permitted"


class Problem(TypedDict):
    """One thing that is missing."""

    what: str
    why: str
    fix: str


class Walls(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    level: str | None
    """The best level, or None where no program can be held."""
    layers: dict[str, str] = {}
    problems: tuple[Problem, ...] = ()


def refused(refusal: Refusal) -> str:
    """For the table of layers."""
    return f"refused: {refusal.step}: {refusal.why}"


def stop(why: str) -> Problem:
    """Nothing at all can be had."""
    return Problem(
        what="no program can be run here",
        why=why,
        fix="run actum where the kernel has seccomp and either namespaces or Landlock",
    )


def without_landlock(why: str) -> Problem:
    """One wall of two."""
    return Problem(
        what="Landlock is missing; the namespaces hold alone",
        why=why,
        fix="use a kernel from 5.13 on with `landlock` in its `lsm=` list",
    )


def problems_of(refusals: list[Refusal]) -> list[Problem]:
    """What each refusal means, and the one line that changes it."""
    return [explained(refusal) for refusal in refusals]


def explained(refusal: Refusal) -> Problem:
    """One refusal."""
    what = f"level {refusal.level} is refused at {refusal.step}"
    if refusal.step.startswith("seccomp"):
        fix = "allow seccomp: a container's profile, or CONFIG_SECCOMP_FILTER of the kernel"
    elif refusal.step.startswith("landlock"):
        fix = "use a kernel from 5.13 on with `landlock` in its `lsm=` list"
    elif refusal.step.startswith(("unshare", "mount", "setns", "pivot", "sethostname")):
        return Problem(what=what, why=reason(refusal), fix=way_to_namespaces())
    else:
        fix = "this is not expected: please report it with the output of `actum doctor --json`"
    return Problem(what=what, why=refusal.why, fix=fix)


def reason(refusal: Refusal) -> str:
    """What the machine itself says about namespaces."""
    said = [refusal.why]
    if setting("user/max_user_namespaces") == "0":
        said.append("user.max_user_namespaces is 0")
    if setting("kernel/unprivileged_userns_clone") == "0":
        said.append("kernel.unprivileged_userns_clone is 0")
    if setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        said.append("AppArmor restricts user namespaces")
    if in_container():
        said.append("this is a container, whose profile refuses them")
    return "; ".join(said)


def way_to_namespaces() -> str:
    """The one line that gives namespaces."""
    if setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        python = str(getattr(sys, "_base_executable", sys.executable))
        return (
            f"sed 's|@PYTHON@|{python}|' {PROFILE} | sudo tee /etc/apparmor.d/actum"
            " && sudo apparmor_parser -r /etc/apparmor.d/actum"
        )
    if setting("user/max_user_namespaces") == "0":
        return "sudo sysctl user.max_user_namespaces=15000"
    if setting("kernel/unprivileged_userns_clone") == "0":
        return "sudo sysctl kernel.unprivileged_userns_clone=1"
    return (
        "give the container user namespaces and mounts, as with"
        " `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`"
    )


def setting(name: str) -> str | None:
    """A setting of the kernel, to explain a refusal. Never to decide."""
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return None


def in_container() -> bool:
    """Whether this looks like a container."""
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return True
    return "container" in os.environ
