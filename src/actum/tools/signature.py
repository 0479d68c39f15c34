"""What a function takes and gives, read once from its hints; arguments checked against it."""

import inspect
import typing
from collections.abc import Callable, Sequence

from actum.errors import BadArguments, BadTool
from actum.records.tools import Parameter, parameters_text
from actum.records.values import JSON
from actum.tools.hints import schema_into, schema_of
from actum.tools.mistakes import DoesNotFit
from actum.tools.parameters import TakenParameter, hints_of, taken_parameters
from actum.tools.type_texts import type_text


class Signature:
    """What a function takes and gives."""

    def __init__(self, name: str, function: Callable[..., object]) -> None:
        self.name = name
        hints = hints_of(name, function)
        self.returns = hints.pop("return", inspect.Signature.empty)
        self._taken = taken_parameters(name, function, hints)
        self.parameters: tuple[Parameter, ...] = tuple(p.shown for p in self._taken.values())
        self.text = f"{name}({parameters_text(self.parameters)}){self._arrow()}"

    def input_schema(self) -> dict[str, JSON]:
        """The JSON schema of an object with the arguments by name."""
        definitions: dict[str, JSON] = {}
        properties: dict[str, JSON] = {}
        schema: dict[str, JSON] = {"type": "object", "properties": properties}
        schema["required"] = [p.name for p in self._taken.values() if p.required]
        schema["additionalProperties"] = False
        for parameter in self._taken.values():
            inner = self._schema(parameter, definitions)
            if parameter.more_keywords:
                schema["additionalProperties"] = inner or True
            else:
                properties[parameter.name] = inner
        if definitions:
            schema["$defs"] = definitions
        return schema

    def output_schema(self) -> dict[str, JSON] | None:
        """The JSON schema of the result, where a type says what it is."""
        if self.returns in {inspect.Signature.empty, None, type(None), typing.Any, object}:
            return None
        try:
            return schema_of(self.returns)
        except TypeError:
            return None

    def returns_text(self) -> str:
        """The result's type as source text."""
        if self.returns is inspect.Signature.empty:
            return ""
        return type_text(self.returns)

    def check(self, args: Sequence[object], kwargs: dict[str, object]) -> dict[str, object]:
        """The arguments by name, each of its type. Every mistake is named at once."""
        given, mistakes = self._assign(args, kwargs)
        checked: dict[str, object] = {}
        for name, value in given.items():
            self._take(name, value, checked, mistakes)
        for parameter in self._taken.values():
            if parameter.name in given:
                continue
            if parameter.required:
                mistakes.append(f"{parameter.name} is missing")
            elif parameter.has_default_to_show:
                checked[parameter.name] = parameter.default()
        if mistakes:
            message = f"{self.name}: {'; '.join(mistakes)}. It takes: {self.text}"
            raise BadArguments(message, hints=(f"valid: {self.text}",))
        return checked

    def spread(self, arguments: dict[str, object]) -> tuple[list[object], dict[str, object]]:
        """Arguments by name, as the function itself wants them."""
        args: list[object] = []
        kwargs: dict[str, object] = {}
        for name, parameter in self._taken.items():
            if parameter.more_keywords:
                continue
            if parameter.more:
                args.extend(typing.cast("Sequence[object]", arguments.get(name, ())))
                continue
            value = arguments[name] if name in arguments else parameter.default()
            if parameter.takes_position:
                args.append(value)
            else:
                kwargs[name] = value
        kwargs.update({name: v for name, v in arguments.items() if name not in self._taken})
        return args, kwargs

    def _take(
        self, name: str, value: object, checked: dict[str, object], mistakes: list[str]
    ) -> None:
        parameter = self._taken.get(name) or self._more_keywords()
        if parameter is None:
            mistakes.append(f"{name} is unknown")
            return
        try:
            checked[name] = parameter.convert(value, name)
        except DoesNotFit as mistake:
            mistakes.append(f"{name}{mistake.path}: {mistake.why}")

    def _assign(
        self, args: Sequence[object], kwargs: dict[str, object]
    ) -> tuple[dict[str, object], list[str]]:
        """Give each argument the name of its parameter; what fits nowhere is a mistake."""
        mistakes: list[str] = []
        positional = [p.name for p in self._taken.values() if p.takes_position]
        given = dict(zip(positional, args, strict=False))
        rest = list(args[len(positional) :])
        more = next((p for p in self._taken.values() if p.more), None)
        if rest and more is not None:
            given[more.name] = rest
        elif rest:
            count = len(positional)
            mistakes.append(f"{len(args)} arguments by position, at most {count} fit")
        for name, value in kwargs.items():
            if name in given:
                mistakes.append(f"{name} is given twice")
            else:
                given[name] = value
        return given, mistakes

    def _more_keywords(self) -> TakenParameter | None:
        return next((p for p in self._taken.values() if p.more_keywords), None)

    def _schema(self, parameter: TakenParameter, definitions: dict[str, JSON]) -> dict[str, JSON]:
        try:
            schema = schema_into(parameter.wanted, definitions)
        except TypeError as error:
            raise BadTool(
                f"{self.name}: {parameter.name} cannot be data: {error}",
                hints=(
                    "use plain types, dataclasses, TypedDict, msgspec structs or pydantic models",
                ),
            ) from error
        told = parameter.shown.description
        return {**schema, "description": told} if told else schema

    def _arrow(self) -> str:
        returns = self.returns_text()
        return f" -> {returns}" if returns else ""
