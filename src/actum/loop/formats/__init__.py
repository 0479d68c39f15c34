"""The forms in which a model can say what it wants to do: values, not subclasses.

In: a reply. Out: an action. And the other way round: what happened, as the model is told it.
"""
