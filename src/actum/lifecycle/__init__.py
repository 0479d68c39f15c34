"""The life of a run: start it, go on with it, do it again, decide what it waits for.

Must not know: what a user typed, how anything is shown.
"""
