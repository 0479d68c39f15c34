"""What a value may be when it crosses a wall, and the marks for what JSON has no word for."""

import hashlib
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

if TYPE_CHECKING:
    JSON: TypeAlias = "None | bool | int | float | str | list[JSON] | dict[str, JSON]"
else:
    # msgspec cannot read a recursive alias on Python 3.11: at run time anything goes.
    JSON = Any

BLOB_MARK = "$blob"
BYTES_MARK = "$bytes"
INTEGER_MARK = "$int"
FLOAT_MARK = "$float"
PAIRS_MARK = "$pairs"


class BlobRef(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes kept beside the record under the hash of their content."""

    sha256: str
    size: int
    type: str = "application/octet-stream"


def blob_ref(content: bytes, content_type: str = "application/octet-stream") -> BlobRef:
    """The name of these bytes."""
    return BlobRef(
        sha256=hashlib.sha256(content).hexdigest(), size=len(content), type=content_type
    )
