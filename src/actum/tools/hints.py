"""Type hints as schemas, and data as values of them. In and out of every tool, and of answers.

msgspec does the work where it can. What it refuses, such as a union of two dataclasses, is taken
apart here one level at a time. Pydantic's types go to pydantic, where the user has it.
"""

from actum.tools.conversion import convert
from actum.tools.mistakes import DoesNotFit
from actum.tools.results import as_data
from actum.tools.schemas import schema_into, schema_of

__all__ = ["DoesNotFit", "as_data", "convert", "schema_into", "schema_of"]
