"""The command line: one file a verb, loaded when the verb is used.

In: what was typed. Out: data on stdout, narration on stderr, an exit code.
Must not know: how anything is done. A verb asks the rooms, and shows what they say.
"""
