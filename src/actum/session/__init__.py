"""The programs of one run in one session.

In: programs, and a gate for their calls. Out: outcomes, and a record from which a fresh session can be
brought to the same point.

Must not know: which model wrote a program, what the model is told.
"""
