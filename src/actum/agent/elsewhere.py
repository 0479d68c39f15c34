"""Names that people bring from smolagents, and ours for the same thing."""

from collections.abc import Mapping

FIELDS: Mapping[str, str] = {
    "additional_authorized_imports": "nothing: what is installed can be imported behind the wall",
    "executor_type": "place=",
    "executor_kwargs": "place=, limits=",
    "add_base_tools": "nothing yet: pass your own in tools=[...]",
    "max_steps": "budget=Budget(requests=...)",
    "output_type": "output=",
    "final_answer_checks": "output= a type",
    "planning_interval": "nothing: the model plans in its program",
    "system_prompt": "instructions=",
    "prompt_templates": "instructions=",
    "verbosity_level": "show=, when the agent is run",
    "stream_outputs": "agent.stream(task)",
    "executor": "place=",
    "sandbox": "place=",
}
CLASSES: Mapping[str, str] = {
    "CodeAgent": 'Agent(..., format="code")',
    "ToolCallingAgent": 'Agent(..., format="json")',
    "MultiStepAgent": "Agent(...)",
    "Tool": "a function with @tool",
    "InferenceClientModel": 'Agent(model="hf:...")',
    "LiteLLMModel": 'Agent(model="provider:name")',
    "OpenAIServerModel": 'Agent(model="openai:...")',
    "TransformersModel": 'a local server: Agent(model="http://127.0.0.1:8080/v1#name")',
}
