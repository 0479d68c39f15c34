"""Monty as a place: a safe subset of Python, where no wall of the kernel can be had.

In: source text and one `Host`. Out: an `Outcome`. It needs the package `pydantic-monty`.
Must not know: tools, policy, models, agents, journals, the local place.
"""
