"""All tools of a run under one tree of names. In: sources. Out: what the model reads and what a program imports.

Must not know: whether a call is allowed, who asks, how an answer is kept.
"""
