"""A format by its name."""

from actum.loop.formats.code import Code
from actum.loop.formats.contract import ActionFormat, FormatName

FORMATS: dict[FormatName, ActionFormat] = {"code": Code()}


def open_format(name: FormatName) -> ActionFormat:
    """The format that a user named."""
    return FORMATS[name]
