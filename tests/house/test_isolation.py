"""A test leaves the machine and the user's records alone."""

import os
import socket
from pathlib import Path

import pytest


def test_a_test_reaches_this_machine() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = ("127.0.0.1", server.getsockname()[1])
        with socket.create_connection(address) as connection:
            assert connection.getpeername() == address


def test_a_test_reaches_nothing_beyond_this_machine() -> None:
    with pytest.raises(PermissionError, match=r"pytest\.mark\.network"):
        socket.create_connection(("192.0.2.1", 9))
    with socket.socket() as unconnected, pytest.raises(PermissionError):
        unconnected.connect_ex(("198.51.100.7", 443))


def test_a_test_has_a_home_of_its_own(home: Path, tmp_path: Path) -> None:
    assert Path(os.environ["ACTUM_HOME"]) == home
    assert home.is_relative_to(tmp_path)
