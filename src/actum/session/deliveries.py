"""From an event of the record to what a session is told of it: the same live, replayed and resumed."""

from actum.records.calls import ToolAnswer, ToolFailure, ToolRefusal
from actum.records.events import Event, ProgramInterrupted, ToolErred, ToolRefused, ToolResult
from actum.records.sessions import Answered, Delivery, Interrupted, Stop, TimerDue
from actum.session.recorded import call_id


def delivery_of(event: Event) -> Delivery:
    """What a session is told of an event of its record."""
    body = event.body
    now = event.time
    match body:
        case ToolResult():
            return Answered(
                call=call_id(event, body.number), result=ToolAnswer(value=body.value), now=now
            )
        case ToolErred():
            failure = ToolFailure(
                message=body.message, status=body.status, retryable=body.retryable
            )
            return Answered(call=call_id(event, body.number), result=failure, now=now)
        case ToolRefused():
            if body.ends_run:
                return Stop(limit="calls", message=body.message)
            refusal = ToolRefusal(message=body.message, rule=body.rule, hint=body.hint)
            return Answered(call=call_id(event, body.number), result=refusal, now=now)
        case ProgramInterrupted():
            return Interrupted(now=now)
        case _:
            return TimerDue(now=now)
