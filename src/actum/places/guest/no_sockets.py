"""Why a socket does not open, in words; and TLS without certificates to read.

Phase 2. The wall refuses sockets anyway: this only says what to do instead.
"""

from typing import Any, NoReturn

NO_SOCKETS = (
    "no sockets in this program: HTTP works with urllib, requests, httpx and aiohttp; "
    "for anything else there must be a tool"
)


def cure_socket(module: Any) -> None:
    """Say why."""
    begin = module.socket.__init__

    def begin_or_say_why(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            begin(self, *args, **kwargs)
        except PermissionError as error:
            raise PermissionError(error.errno, NO_SOCKETS) from None

    def refuse_names(*args: Any, **kwargs: Any) -> NoReturn:
        raise module.gaierror(module.EAI_FAIL, f"no names are looked up here; {NO_SOCKETS}")

    module.socket.__init__ = begin_or_say_why
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr"):
        setattr(module, name, refuse_names)


def cure_tls(module: Any) -> None:
    """The host checks certificates; to read them all for each connection takes a while."""

    def context(*args: Any, **kwargs: Any) -> Any:
        return module.SSLContext(module.PROTOCOL_TLS_CLIENT)

    module._create_default_https_context = context
