"""What runs in the fresh interpreter before any program does: walls, preloading, the fork loop.

In: one message of settings, then one order for each session. Out: confined processes.
Must not know: anything of actum but the guest; it uses the standard library alone.
"""
