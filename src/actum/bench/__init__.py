"""What actum costs, beside what one could use in its place. In: a number of rounds. Out: a report of figures.

Must not know: how a figure is shown. It changes nothing that it measures, and nothing else knows it.
"""
