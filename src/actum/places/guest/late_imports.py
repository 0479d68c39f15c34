"""Modules that must be cured when a program imports them.

Phase 2. Those that were loaded before the session began are cured at once.
"""

import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from actum.places.guest.databases import cure_sqlite
from actum.places.guest.entropy import cure_numpy, cure_polars
from actum.places.guest.figures import cure_pyplot
from actum.places.guest.http_sockets import cure_http_client, cure_urllib3
from actum.places.guest.http_streams import cure_httpcore, cure_httpcore_async
from actum.places.guest.http_transports import cure_aiohttp
from actum.places.guest.no_sockets import cure_socket, cure_tls
from actum.places.guest.own_process import cure_fork_exec, cure_select, cure_subprocess


def cure_mimetypes(module: Any) -> None:
    """Know the built-in types alone: the host's lists are missing at one level, closed at the other."""
    module.knownfiles = []


CURES: dict[str, Callable[[Any], None]] = {
    "_posixsubprocess": cure_fork_exec,
    "aiohttp.connector": cure_aiohttp,
    "http.client": cure_http_client,
    "httpcore._backends.auto": cure_httpcore_async,
    "httpcore._backends.sync": cure_httpcore,
    "httpcore2._backends.auto": cure_httpcore_async,
    "httpcore2._backends.sync": cure_httpcore,
    "matplotlib.pyplot": cure_pyplot,
    "mimetypes": cure_mimetypes,
    "numpy.random": cure_numpy,
    "polars": cure_polars,
    "select": cure_select,
    "socket": cure_socket,
    "sqlite3": cure_sqlite,
    "ssl": cure_tls,
    "subprocess": cure_subprocess,
    "urllib3.connection": cure_urllib3,
}


class CuringFinder:
    """Finds the modules named above as anybody else would, and cures them once loaded."""

    def __init__(self) -> None:
        self._searching: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Let the others find it; put the cure behind its loading."""
        if name not in CURES or name in self._searching:
            return None
        self._searching.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._searching.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _CuringLoader(spec.loader, CURES[name])
        return spec


class _CuringLoader:
    """Another loader, with a cure at the end."""

    def __init__(self, loader: Any, cure: Callable[[Any], None]) -> None:
        self._loader = loader
        self._cure = cure

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """Leave it to the loader."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it to the loader, then cure."""
        self._loader.exec_module(module)
        self._cure(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def install_late_imports() -> None:
    """Cure what is loaded, and what will be."""
    for name, cure in CURES.items():
        module = sys.modules.get(name)
        if module is not None:
            cure(module)
    sys.meta_path.insert(0, CuringFinder())
