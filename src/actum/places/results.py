"""Whether what a guest calls a picture or a table is one: it goes to models, notebooks and files."""

import struct

from actum.records.outcomes import Table

LARGEST_PICTURE = 4 << 20
LONGEST_SIDE = 10_000
MOST_FIGURES = 20
MOST_TABLES = 20
MOST_ROWS = 20
MOST_COLUMNS = 50
LONGEST_NAME = 1000
MOST_COUNTED = 2**53
SIGNATURE = b"\x89PNG\r\n\x1a\n"
HEADER = struct.Struct("!I4sII")


def size_of_png(content: bytes) -> tuple[int, int] | None:
    """Width and height; None where it is no PNG that we would keep."""
    if len(content) > LARGEST_PICTURE or not content.startswith(SIGNATURE):
        return None
    if len(content) < len(SIGNATURE) + HEADER.size:
        return None
    _, kind, width, height = HEADER.unpack_from(content, len(SIGNATURE))
    if kind != b"IHDR" or not 0 < width <= LONGEST_SIDE or not 0 < height <= LONGEST_SIDE:
        return None
    return width, height


def is_svg(content: bytes) -> bool:
    """Whether it is text that begins as a drawing does."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    return len(content) <= LARGEST_PICTURE and text.startswith("<") and "<svg" in text[:2000]


def is_table(table: Table) -> bool:
    """Whether its parts fit together, and are no more than a beginning."""
    width = len(table.columns)
    return (
        width <= MOST_COLUMNS
        and 0 <= table.index <= width
        and len(table.rows) <= MOST_ROWS
        and all(len(row) == width for row in table.rows)
        and all(len(each.name) + len(each.type) <= LONGEST_NAME for each in table.columns)
        and len(table.rows) <= table.row_count <= MOST_COUNTED
        and width - table.index <= table.column_count <= MOST_COUNTED
    )
