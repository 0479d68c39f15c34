"""What a record must know of the environment it was made in: equal ids replay each other."""

import hashlib
import json
import os
import platform
from typing import cast

from actum.places.local.interpreter import digest_of_code
from actum.places.local.zygote_process import Refusal, ZygoteProcess
from actum.places.packages.wishes import record_of
from actum.records.sessions import Environment
from actum.records.values import JSON


def environment_of(
    zygote: ZygoteProcess, refusals: list[Refusal], not_preloaded: str = ""
) -> Environment:
    """Everything of the machine that a program's values, ids and addresses can depend on."""
    plan, told = zygote.plan, zygote.told
    interpreter = plan.interpreter
    layers = dict(told.layers)
    for refusal in refusals:
        layers["namespaces"] = f"refused: {refusal.step}: {refusal.why}"
    layers["addresses"] = "the same every time" if told.randomisation == "off" else "random"
    layers["account"] = "one of its own" if own_account(zygote) else "the host's"
    facts: dict[str, JSON] = {
        "version": interpreter.version,
        "machine": platform.machine(),
        "library": cast(
            "JSON", mapped_interpreter(zygote.pid, os.path.realpath(interpreter.executable))
        ),
        "installed": hashlib.sha256("\n".join(interpreter.installed()).encode()).hexdigest(),
        "level": plan.level,
        "layers": {name: layers[name] for name in ("landlock", "addresses") if name in layers},
        "filter": hashlib.sha256(bytes.fromhex(told.filter)).hexdigest(),
        "code": digest_of_code(),
        "preload": list(plan.preload),
        "folder": plan.work,
    }
    if interpreter.package_set is not None:
        facts["package_set"] = interpreter.package_set.key
    identity = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
    details = {
        name: facts[name]
        for name in ("library", "installed", "filter", "code", "folder", "preload")
    }
    details["packages"] = list(interpreter.well_known())
    if interpreter.package_set is not None:
        details["package_set"] = record_of(interpreter.package_set)
    if not_preloaded:
        details["not_preloaded"] = not_preloaded
    return Environment(
        id=identity,
        place="local",
        level="full" if plan.level == "full" else "landlock",
        python=interpreter.version.split()[0],
        layers=layers,
        details=details,
    )


def own_account(zygote: ZygoteProcess) -> bool:
    """Whether sessions run as another account than we do."""
    return zygote.told.account != os.geteuid()


def mapped_interpreter(pid: int, executable: str) -> list[list[str | int]]:
    """The interpreter's files as they are mapped in memory: a library may not be the one expected."""
    found: set[str] = set()
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:  # noqa: PTH123 -- a file of the kernel
            for line in maps:
                path = line.split(maxsplit=5)[5].strip() if len(line.split()) > 5 else ""
                if path == executable or "/libpython" in path:
                    found.add(path)
    except OSError:
        return []
    described: list[list[str | int]] = []
    for path in sorted(found):
        try:
            status = os.stat(path)  # noqa: PTH116 -- as above
        except OSError:
            continue
        described.append([path, status.st_size, status.st_mtime_ns])
    return described
