"""From what a model wrote to what it meant.

In: a reply. Out: an action, or words that tell the model what to write instead. Never an exception.
"""
