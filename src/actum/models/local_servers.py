"""Model servers on this machine, looked for side by side."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

import msgspec

from actum.models.endpoints import base_url
from actum.models.json_fields import decoded, objects_in, text_in
from actum.models.providers import BEST_LOCAL, BY_NAME, LOCAL_SERVERS

PATIENCE = 0.15
MOST_BYTES = 1_000_000


class LocalServer(msgspec.Struct, frozen=True, kw_only=True):
    """A server that answered, and the models it has."""

    provider: str
    address: str
    models: tuple[str, ...]

    @property
    def best(self) -> str:
        """The model that writes the best programs, by a list of families."""
        return min(self.models, key=_rank)


def find_local_servers(
    environ: Mapping[str, str], addresses: Sequence[tuple[str, str]] | None = None
) -> list[LocalServer]:
    """Those that answer at once, in the order in which they are preferred.

    `addresses` are pairs of provider and base URL; None means the usual ports.
    """
    if addresses is None:
        addresses = [(name, base_url(BY_NAME[name], environ)) for name in LOCAL_SERVERS]
    pool = ThreadPoolExecutor(max_workers=max(len(addresses), 1))
    asked = [pool.submit(_ask, provider, address) for provider, address in addresses]
    done, _ = wait(asked, timeout=PATIENCE)
    # Whoever is late is not waited for.
    pool.shutdown(wait=False, cancel_futures=True)
    found = [future.result() for future in asked if future in done]
    return [server for server in found if server is not None]


def _ask(provider: str, address: str) -> LocalServer | None:
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    try:
        connection.request("GET", f"{parts.path}/models")
        response = connection.getresponse()
        document = decoded(response.read(MOST_BYTES)) if response.status == 200 else None
    except (OSError, HTTPException, ValueError):
        return None
    finally:
        connection.close()
    if not isinstance(document, dict):
        return None
    names = tuple(text_in(model, "id") for model in objects_in(document, "data"))
    return LocalServer(
        provider=provider, address=address, models=tuple(name for name in names if name)
    )


def _rank(name: str) -> tuple[int, str]:
    lowered = name.lower()
    for place, family in enumerate(BEST_LOCAL):
        if family in lowered:
            return place, lowered
    # What only embeds cannot answer.
    return len(BEST_LOCAL) + ("embed" in lowered), lowered
