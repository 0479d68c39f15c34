"""Where tools come from. In: functions, servers, descriptions. Out: `ToolSpec`s, and a way to call them.

Must not know: whether a call is allowed, who made it, how it is shown.
"""
