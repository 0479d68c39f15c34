"""A format by its name."""

from actum.loop.formats.auto import Auto
from actum.loop.formats.code import Code
from actum.loop.formats.contract import ActionFormat, FormatName
from actum.loop.formats.json_calls import Json

FORMATS: dict[FormatName, ActionFormat] = {"code": Code(), "json": Json(), "auto": Auto()}


def open_format(name: FormatName) -> ActionFormat:
    """The format that a user named."""
    return FORMATS[name]
