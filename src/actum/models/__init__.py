"""Who decides. In: a request in our own words. Out: what the model said, piece by piece.

Must not know: what is done with the answer.
"""
