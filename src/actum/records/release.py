"""Which actum this is. It stands in every record."""

VERSION = "0.1.0"
