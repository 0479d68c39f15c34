"""Nouns that cross walls and are stored: frozen, typed, plain data.

In: nothing but the standard library and msgspec. Out: the values that every other room speaks in.
Must not know: where a value is kept, who asked for it, what is done with it.
"""
