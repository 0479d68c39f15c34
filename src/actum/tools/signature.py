"""A Python signature as parameters and JSON schema, and arguments checked against it."""

import inspect
import types
import typing
from collections.abc import Callable, Sequence

import msgspec

from actum.errors import BadArguments, BadTool
from actum.records.tools import Parameter, parameters_text
from actum.records.values import JSON

_KINDS: dict[
    inspect._ParameterKind,
    typing.Literal["positional", "either", "keyword", "more", "more_keywords"],
] = {
    inspect.Parameter.POSITIONAL_ONLY: "positional",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "either",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_POSITIONAL: "more",
    inspect.Parameter.VAR_KEYWORD: "more_keywords",
}


class Signature:
    """What a function takes and gives, read once from its hints."""

    def __init__(self, name: str, function: Callable[..., object]) -> None:
        self.name = name
        self._parameters = _own_parameters(function)
        self._hints = _hints(name, function)
        self.returns = self._hints.pop("return", inspect.Signature.empty)
        self.parameters = tuple(self._describe(p) for p in self._parameters.values())
        self.text = f"{name}({parameters_text(self.parameters)}){self._arrow()}"

    def input_schema(self) -> dict[str, JSON]:
        """The JSON schema of an object with the arguments by name."""
        named = [p for p in self._parameters.values() if p.kind is not p.VAR_KEYWORD]
        hints = [self._hint(p) for p in named]
        schemas, definitions = _schemas(self.name, hints)
        properties: dict[str, JSON] = {}
        required: list[JSON] = []
        for parameter, described, schema in zip(named, self.parameters, schemas, strict=False):
            properties[parameter.name] = _with_description(schema, described.description)
            if (
                parameter.default is parameter.empty
                and parameter.kind is not parameter.VAR_POSITIONAL
            ):
                required.append(parameter.name)
        schema: dict[str, JSON] = {"type": "object", "properties": properties, "required": required}
        schema["additionalProperties"] = len(named) < len(self._parameters)
        if definitions:
            schema["$defs"] = definitions
        return schema

    def output_schema(self) -> dict[str, JSON] | None:
        """The JSON schema of the result, where a type says what it is."""
        if self.returns in {inspect.Signature.empty, None, type(None), typing.Any, object}:
            return None
        try:
            (schema,), definitions = _schemas(self.name, [self.returns])
        except BadTool:
            return None
        if definitions:
            schema = {**schema, "$defs": definitions}
        return schema

    def returns_text(self) -> str:
        """The result's type as source text."""
        if self.returns is inspect.Signature.empty:
            return ""
        return type_text(self.returns)

    def check(self, args: Sequence[object], kwargs: dict[str, object]) -> dict[str, object]:
        """The arguments by name, each of its type. Every mistake is named at once."""
        given, mistakes = self._assign(args, kwargs)
        checked: dict[str, object] = {}
        for parameter in self._parameters.values():
            if parameter.name in given:
                self._convert(parameter, given[parameter.name], checked, mistakes)
            elif (
                parameter.kind is parameter.VAR_POSITIONAL
                or parameter.kind is parameter.VAR_KEYWORD
            ):
                continue
            elif parameter.default is parameter.empty:
                mistakes.append(f"{parameter.name} is missing")
            else:
                checked[parameter.name] = parameter.default
        if mistakes:
            message = f"{self.name}: {'; '.join(mistakes)}. It takes: {self.text}"
            raise BadArguments(message, hints=(f"valid: {self.text}",))
        return checked

    def spread(self, arguments: dict[str, object]) -> tuple[list[object], dict[str, object]]:
        """Arguments by name, as the function itself wants them."""
        args: list[object] = []
        kwargs: dict[str, object] = {}
        for parameter in self._parameters.values():
            if parameter.name not in arguments:
                continue
            value = arguments[parameter.name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                args.extend(typing.cast("Sequence[object]", value))
            elif parameter.kind is parameter.VAR_KEYWORD:
                kwargs.update(typing.cast("dict[str, object]", value))
            elif parameter.kind is parameter.KEYWORD_ONLY:
                kwargs[parameter.name] = value
            else:
                args.append(value)
        return args, kwargs

    def _assign(
        self, args: Sequence[object], kwargs: dict[str, object]
    ) -> tuple[dict[str, object], list[str]]:
        """Give each argument the name of its parameter; what fits nowhere is a mistake."""
        mistakes: list[str] = []
        given: dict[str, object] = {}
        positional = [
            p
            for p in self._parameters.values()
            if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}
        ]
        given.update({p.name: value for p, value in zip(positional, args, strict=False)})
        rest = list(args[len(positional) :])
        more = next((p for p in self._parameters.values() if p.kind is p.VAR_POSITIONAL), None)
        if rest and more is None:
            mistakes.append(f"{len(args)} arguments by position, at most {len(positional)} fit")
        elif rest and more is not None:
            given[more.name] = rest
        extra: dict[str, object] = {}
        for name, value in kwargs.items():
            parameter = self._parameters.get(name)
            if parameter is None or parameter.kind in {
                parameter.VAR_POSITIONAL,
                parameter.VAR_KEYWORD,
            }:
                extra[name] = value
            elif name in given:
                mistakes.append(f"{name} is given twice")
            else:
                given[name] = value
        keywords = next((p for p in self._parameters.values() if p.kind is p.VAR_KEYWORD), None)
        if extra and keywords is None:
            mistakes.extend(f"{name} is unknown" for name in extra)
        elif extra and keywords is not None:
            given[keywords.name] = extra
        return given, mistakes

    def _convert(
        self,
        parameter: inspect.Parameter,
        value: object,
        checked: dict[str, object],
        mistakes: list[str],
    ) -> None:
        hint = self._hint(parameter)
        try:
            checked[parameter.name] = msgspec.convert(value, hint, strict=True)
        except msgspec.ValidationError as error:
            said = str(error).replace("`", "")
            mistakes.append(f"{parameter.name} is wrong ({said[:1].lower()}{said[1:]})")

    def _hint(self, parameter: inspect.Parameter) -> typing.Any:  # noqa: ANN401 -- a hint is any object
        hint: typing.Any = self._hints.get(parameter.name, typing.Any)
        if parameter.kind is parameter.VAR_POSITIONAL:
            return list[hint]
        if parameter.kind is parameter.VAR_KEYWORD:
            return dict[str, hint]
        return hint

    def _describe(self, parameter: inspect.Parameter) -> Parameter:
        hint = self._hints.get(parameter.name)
        default = None if parameter.default is parameter.empty else _default_text(parameter.default)
        return Parameter(
            name=parameter.name,
            annotation="" if hint is None else type_text(hint),
            default=default,
            kind=_KINDS[parameter.kind],
            description=_annotated_text(hint),
        )

    def _arrow(self) -> str:
        returns = self.returns_text()
        return f" -> {returns}" if returns else ""


def type_text(hint: object) -> str:
    """A hint as a person would write it: `list[Order]`, not `typing.List[__main__.Order]`."""
    if hint is None or hint is type(None):
        return "None"
    if hint is typing.Any:
        return "Any"
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin is typing.Annotated:
        return type_text(arguments[0])
    if origin in {typing.Union, types.UnionType}:
        return " | ".join(type_text(argument) for argument in arguments)
    if origin is typing.Literal:
        return f"Literal[{', '.join(repr(argument) for argument in arguments)}]"
    if origin is not None and arguments:
        inner = ", ".join("..." if a is Ellipsis else type_text(a) for a in arguments)
        return f"{getattr(origin, '__name__', str(origin))}[{inner}]"
    if isinstance(hint, type):
        return hint.__name__
    return str(hint).removeprefix("typing.")


def _own_parameters(function: Callable[..., object]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


def _hints(name: str, function: Callable[..., object]) -> dict[str, typing.Any]:
    target = function if inspect.isroutine(function) else type(function).__call__
    try:
        return typing.get_type_hints(target, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise BadTool(
            f"{name}: its type hints cannot be read: {error}",
            hints=("import the names that its hints use where the function is defined",),
        ) from error


def _schemas(name: str, hints: list[object]) -> tuple[list[dict[str, JSON]], dict[str, JSON]]:
    try:
        schemas, definitions = msgspec.json.schema_components(hints, ref_template="#/$defs/{name}")
    except TypeError as error:
        raise BadTool(
            f"{name}: a type in its signature cannot be data: {error}",
            hints=("use plain types, dataclasses, TypedDict or msgspec structs",),
        ) from error
    return [dict(schema) for schema in schemas], dict(definitions)


def _with_description(schema: dict[str, JSON], description: str) -> dict[str, JSON]:
    return {**schema, "description": description} if description else schema


def _default_text(default: object) -> str:
    plain = default is None or isinstance(default, bool | int | float | str)
    if plain or default in ((), [], {}):
        return repr(default)
    return "..."


def _annotated_text(hint: object) -> str:
    """The description in `Annotated[int, "how many"]` or `Annotated[int, Meta(description=...)]`."""
    if typing.get_origin(hint) is not typing.Annotated:
        return ""
    for extra in typing.get_args(hint)[1:]:
        if isinstance(extra, str):
            return extra
        if isinstance(extra, msgspec.Meta) and extra.description:
            return extra.description
    return ""
