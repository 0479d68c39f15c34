"""A model behind a wire protocol: what every protocol has in common."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import aclosing

from actum.models.contract import ModelEvent, ModelRequest
from actum.models.endpoints import ApiKey, Endpoint
from actum.models.history import LoadBlob, no_blobs
from actum.models.wire import Conditions, Decoder, Wire
from actum.records.values import JSON


class WireModel(ABC):
    """Asks one endpoint. A protocol says where, with which headers and body, and how to read."""

    path: str

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        load_blob: LoadBlob = no_blobs,
        parameters: dict[str, JSON] | None = None,
        conditions: Conditions | None = None,
    ) -> None:
        self.name = endpoint.name
        self._endpoint = endpoint
        self._load_blob = load_blob
        self._parameters = parameters or {}
        self._wire = Wire(endpoint, conditions or Conditions())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask. Raises `ModelFailed` where there is no answer to be had."""
        key = self._endpoint.key
        headers = self._headers(key) if key else {}
        body = self._body(request) | self._parameters
        talk = self._wire.converse(self.path, headers, body, lambda: self._decoder(request))
        async with aclosing(talk) as events:
            async for event in events:
                yield event

    async def aclose(self) -> None:
        """Close the connections that are kept for the next request."""
        await self._wire.aclose()

    def _headers(self, key: ApiKey) -> dict[str, str]:
        return {"authorization": f"Bearer {key.reveal()}"}

    @abstractmethod
    def _body(self, request: ModelRequest) -> dict[str, JSON]: ...

    @abstractmethod
    def _decoder(self, request: ModelRequest) -> Decoder: ...
