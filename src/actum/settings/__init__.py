"""What a user wants, before anything starts: files, environment, flags, in one frozen tree.

In: TOML files, environment variables, flags. Out: `Settings`, in which each value knows its origin.
A project's own file counts only after its user has trusted it.
Must not know: what a setting does.
"""
