"""Where programs run. In: source text and one `Host` to answer it. Out: an `Outcome`.

Must not know: tools, policy, models, agents, journals.
"""
