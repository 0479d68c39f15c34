"""What people rely on for their safety, each with the tests that keep it.

Mark the test with `@promise("wall:files")`. The check `promises` finds what nobody tests.
"""

import pytest

PROMISES: dict[str, str] = {
    "wall:files": "A program reads and writes no file of the host but what was mounted for it.",
    "wall:environment": "A program sees no variable of the host's environment.",
    "wall:network": "A program opens no socket to anywhere, and none of the host's answers it.",
    "wall:processes": "A program starts no process, and neither sees nor signals one of the host.",
    "wall:memory": "A program that takes more memory than it was given ends; the host does not feel it.",
    "wall:frames": "Whatever a program writes to the host, the host reads it as data and goes on.",
    "gate:deny": "A denied call never reaches its tool.",
    "gate:ask": "A call that must be asked about does not happen before somebody has said yes.",
    "gate:no-way-around": "However a call is made, the same rules decide about it, and it is recorded once.",
    "gate:validate": "A call whose arguments do not fit never reaches its tool.",
    "network:named": "A program's requests reach the hosts that the user named, and no others.",
    "network:guard": "Whatever a name, an address or a redirect is made to mean, the guard looks at where it leads.",
    "record:chain": "A changed byte in the record is found, and the event is named.",
    "record:unreadable": "A record that cannot be read is called that, and never taken for an empty one.",
    "record:unknown-outcome": "A write that may have happened is asked about, and never repeated.",
    "record:write-once": "However often a run is cut and resumed, each of its writes happens once.",
    "record:mended-once": "A write that a failed program has done is not done again by the one that mends it.",
    "record:replay": "A replay touches nothing outside, and gives the same output, values and calls.",
    "record:stays-inside": "A record that names a file outside a folder does not have it written.",
    "secret:lent": "Only a running tool that declares a secret sees its value.",
    "secret:masked": "A secret is taken out of results, events, blobs and output, in each listed encoding.",
    "trust:closed": "Settings, policy and tools found in a folder do nothing before it is trusted.",
}


def promise(name: str) -> pytest.MarkDecorator:
    """Mark a test that keeps the promise of this name."""
    if name not in PROMISES:
        message = f"there is no promise '{name}'; write it down in tests/promises.py"
        raise KeyError(message)
    return pytest.mark.promise(name)
