"""A test leaves the machine and the user's records alone."""

import os
import socket
from pathlib import Path

import pytest


def test_a_test_reaches_this_machine(tmp_path: Path) -> None:
    address = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(address)
        server.listen()
        client.connect(address)
        assert client.getpeername() == address
    with socket.socket() as loopback:
        # Nobody listens there, and that is the system's answer, not ours.
        assert loopback.connect_ex(("127.0.0.1", 1)) != 0


def test_a_test_reaches_nothing_beyond_this_machine() -> None:
    with pytest.raises(PermissionError, match=r"pytest\.mark\.network"):
        socket.create_connection(("192.0.2.1", 9))
    with socket.socket() as unconnected, pytest.raises(PermissionError):
        unconnected.connect_ex(("198.51.100.7", 443))


def test_a_test_has_a_home_of_its_own(home: Path, tmp_path: Path) -> None:
    assert Path(os.environ["ACTUM_HOME"]) == home
    assert home.is_relative_to(tmp_path)
