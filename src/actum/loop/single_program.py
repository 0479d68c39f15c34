"""A run that is one program, written by a person: no model, no conversation."""

from actum.loop.endings import Ending, ending_of_program
from actum.loop.steps import Steps
from actum.records.actions import RunCode
from actum.session.programs import Programs

STEP = 1


async def run_single_program(source: str, steps: Steps, programs: Programs) -> Ending:
    """Run it, and end as it ends."""
    start = steps.begin(STEP, RunCode(program=source))
    recorded = steps.recorded(STEP)
    outcome = recorded.ending.outcome if recorded.ending is not None else None
    if outcome is None or (steps.desk is None and not recorded.killed):
        outcome = await programs.run(start, source)
    steps.end(STEP, outcome, "")
    return ending_of_program(outcome)
