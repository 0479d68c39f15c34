"""The side of a session that runs inside the sandbox: scheduler, clock, tools, programs.

Standard library only, and an island: it imports nothing of actum but itself, so that it can be
shipped elsewhere as one archive. `boot` says in what order it is brought up.
"""
