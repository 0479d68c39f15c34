"""What every test has: a home of its own, no keys, and no way beyond this machine."""

import ipaddress
import socket
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import settings

# Time is never asserted. A failing example is printed as a line that repeats it.
settings.register_profile("actum", deadline=None, print_blob=True, max_examples=50)
settings.load_profile("actum")

# A path, or a host and a port with what its family adds.
Address: TypeAlias = tuple[str | int, ...] | str | bytes

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Records and settings of the test's own, so that none of the user's is read or written."""
    for variable in ("ACTUM_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "home" / variable.lower()))
    for variable in KEYS:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path / "home" / "actum_home"


def _is_here(address: Address) -> bool:
    """Whether an address is of this machine: a path, or a loopback number or name."""
    if not isinstance(address, tuple):
        return True
    host = str(address[0])
    if host in {"localhost", ""}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refuse_beyond(address: Address) -> None:
    if not _is_here(address):
        message = f"a test tried to reach {address}; mark it with @pytest.mark.network"
        raise PermissionError(message)


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Block what leaves this machine, unless the test is marked `network`."""
    if request.node.get_closest_marker("network") is None:
        really_connect = socket.socket.connect
        really_connect_ex = socket.socket.connect_ex

        def connect(self: socket.socket, address: Address, /) -> None:
            _refuse_beyond(address)
            really_connect(self, address)

        def connect_ex(self: socket.socket, address: Address, /) -> int:
            _refuse_beyond(address)
            return really_connect_ex(self, address)

        monkeypatch.setattr(socket.socket, "connect", connect)
        monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)
