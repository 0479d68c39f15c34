"""The one line of truth of a run. In: drafts of events, from the host alone. Out: events, numbered and chained.

Must not know: what an event means, who reads it, how a run goes on.
"""
