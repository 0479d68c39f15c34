"""`actum bench models`: what it says, from a run of it that is as short as it can be."""

import importlib.util
import json
from typing import Any

import pytest

from actum.cli.main import main

SEED = 7
CLIENTS = {"chat": "openai", "responses": "openai", "messages": "anthropic"}


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    code = main(["bench", "models", "--rounds", "1", "--seed", str(SEED), "--json"])
    said = capsys.readouterr()
    assert code == 0, said.err
    return json.loads(said.out)


@pytest.mark.timeout(180)
def test_it_says_what_each_protocol_costs_beside_the_clients_that_are_installed(
    report: dict[str, Any],
) -> None:
    assert (report["bench"], report["rounds"], report["seed"]) == ("models", 1, SEED)
    assert {"actum", "python", "httpx2", "openai", "anthropic"} <= set(report["versions"])
    bases = {(figure["what"], figure["base"]): figure["ratio"] for figure in report["figures"]}
    assert bases["import: actum", "import: bare Python"] > 0
    assert bases["program found in 100 KB", "ast.parse of it"] > 0

    said = " ".join(report["notes"])
    for protocol, client in CLIENTS.items():
        installed = importlib.util.find_spec(client) is not None
        assert (f"{client} is not installed" in said) is not installed
        for what in ("processor time of 100 KB", "first event"):
            theirs = f"{what}, {protocol}: {client}" if installed else None
            assert (f"{what}, {protocol}: actum", theirs) in bases
