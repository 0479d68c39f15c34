"""The public Agent and its Run: what a Python program holds in its hands.

In: a user's functions, words and limits. Out: a run, which is its record.
Must not know: the command line.
"""
