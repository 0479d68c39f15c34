"""The sandbox of this machine: one confined process for each session, forked from a warm one.

In: source text and one `Host`. Out: an `Outcome`, and the level of wall that stood around it.
Must not know: tools, policy, models, agents, journals. What runs before the program, in the fresh
interpreter, stands in `launch` and imports nothing from here.
"""
