"""The only door to a tool. In: a call that nobody has checked. Out: an answer, a failure or a refusal.

Must not know: what made the call, how the answer gets back, what a session or a loop is.
"""
