"""One turn after the other: ask the model, read its action, do it, show what happened.

Must not know: how a run is started or ended, who watches it, where it is kept.
"""
