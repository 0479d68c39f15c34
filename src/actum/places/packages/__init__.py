"""Package sets: what programs may import beside the default environment, built once and kept.

In: requirements as people write them, and a folder to keep sets in. Out: a `PackageSet`, whose
folder goes first on a program's path. Must not know: tools, policy, models, agents, journals.
"""
