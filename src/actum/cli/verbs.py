"""Every verb with its summary, so that help can list them without loading one.

The file of a verb has its name, and in it `command`: a click command whose function returns an
exit code, or None for 0.
"""

from pathlib import Path

_ALL = {
    "run": 'Give a task to an agent. `actum "some task"` is the same.',
    "chat": "Talk with an agent; its variables stay from turn to turn.",
    "exec": "Run a Python program of your own behind the same walls, with the same tools.",
    "demo": "See it work on this machine, without a key.",
    "models": "List the models that can be asked, and what they cost.",
    "tools": "List, search, show and try the tools of this folder.",
    "runs": "List and show recorded runs.",
    "verify": "Prove that a record is as it was written.",
    "replay": "Do a run again from its record, offline.",
    "resume": "Go on with a run that waits or was cut off.",
    "approve": "Decide what waits for a decision.",
    "policy": "See the rules, how a call would be decided, and what past runs would have met.",
    "secrets": "Keep secrets for tools. No program and no model ever sees one.",
    "trust": "Let this folder's own settings take effect.",
    "config": "Show and change settings, and where each comes from.",
    "doctor": "See what this machine can do, and what it lacks.",
    "env": "List, build and remove the packages that programs can have.",
    "bench": "Measure what actum costs, beside baselines in the same run.",
    "explain": "Read more about an error code.",
    "completion": "Print a completion script for your shell.",
    "version": "Print the version.",
}

# `--help` lists what exists, nothing else.
VERBS = {
    verb: summary
    for verb, summary in _ALL.items()
    if (Path(__file__).with_name(f"{verb}.py")).is_file()
}
