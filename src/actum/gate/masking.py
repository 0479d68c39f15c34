"""Taking secrets out of what comes back: as they are, and in the ways that they usually travel.

Exact, escaped as JSON (once and twice), URL-encoded, hexadecimal, base64 at each of its three
offsets in both alphabets. Letters of either case count as equal.
"""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple
from urllib.parse import quote, quote_plus

import msgspec

from actum.records.values import BYTES_MARK, JSON

SHORTEST = 8
"""Shorter secrets are not looked for: too much would be taken for them."""
Stream = Literal["stdout", "stderr"]
_SURROGATES = "surrogatepass"


class _Pattern(NamedTuple):
    lowered: bytes
    shown: bytes


class Masking:
    """Knows every secret of this user in every form. Works on bytes, so that nothing is missed."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        forms: dict[bytes, bytes] = {}
        for name, value in secrets.items():
            if len(value) >= SHORTEST:
                shown = f"[secret {_plain(name)}]".encode()
                forms |= dict.fromkeys((form.lower() for form in _forms(value)), shown)
        # The longest first: one form may hold another.
        ordered = sorted(forms.items(), key=lambda form: len(form[0]), reverse=True)
        self._patterns = [_Pattern(*form) for form in ordered]
        self._longest = max((len(form) for form in forms), default=0)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def data(self, content: bytes) -> bytes:
        """The bytes without secrets."""
        if not self._patterns:
            return content
        lowered = content.lower()
        for pattern, shown in self._patterns:
            if pattern in lowered:
                content = b"".join(_replaced(content, lowered, pattern, shown))
                lowered = content.lower()
        return content

    def text(self, text: str) -> str:
        """The text without secrets."""
        if not self._patterns:
            return text
        before = text.encode("utf-8", _SURROGATES)
        after = self.data(before)
        return text if after == before else after.decode("utf-8", _SURROGATES)

    def value(self, value: JSON) -> JSON:
        """Data without secrets: the same object where none is in it."""
        if not self._patterns:
            return value
        encoded = msgspec.json.encode(value)
        if BYTES_MARK.encode() not in encoded and self.data(encoded) == encoded:
            return value
        return self._value(value)

    def body(self, text: str) -> str:
        """The text of an event without secrets. It is JSON before and after."""
        if not self._patterns:
            return text
        if BYTES_MARK not in text and self.text(text) == text:
            return text
        document: JSON = msgspec.json.decode(text)
        clean = self._value(document)
        if clean == document:
            return self.text(text)
        return self.text(msgspec.json.encode(clean).decode())

    def beginning(self, text: bytes) -> int:
        """How many of the last bytes may be the beginning of a secret."""
        tail = text[-self._longest :].lower()
        most = 0
        for pattern, _ in self._patterns:
            at = tail.find(pattern[:1], max(0, len(tail) - len(pattern) + 1))
            while at >= 0:
                if pattern.startswith(tail[at:]):
                    most = max(most, len(tail) - at)
                    break
                at = tail.find(pattern[:1], at + 1)
        return most

    def _value(self, value: JSON) -> JSON:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value if self.text(str(value)) == str(value) else self.text(str(value))
        return value

    def _object(self, value: dict[str, JSON]) -> JSON:
        inside = value.get(BYTES_MARK) if len(value) == 1 else None
        if isinstance(inside, str):
            return {BYTES_MARK: self._in_base64(inside)}
        return {self.text(name): self._value(item) for name, item in value.items()}

    def _in_base64(self, text: str) -> str:
        try:
            content = base64.b64decode(text, validate=True)
        except binascii.Error:
            return self.text(text)
        clean = self.data(content)
        return text if clean == content else base64.b64encode(clean).decode()


class StreamMasking:
    """Masks text that comes in pieces: the end of one may be the beginning of a secret."""

    def __init__(self, masking: Masking) -> None:
        self._masking = masking
        self._held: dict[Stream, bytes] = {}

    def take(self, stream: Stream, text: str) -> str:
        """What may be shown of the text so far."""
        whole = self._held.pop(stream, b"") + text.encode("utf-8", _SURROGATES)
        clean = self._masking.data(whole)
        held = self._masking.beginning(clean)
        if held:
            self._held[stream] = clean[-held:]
            clean = clean[:-held]
        return clean.decode("utf-8", _SURROGATES)

    def rest(self) -> dict[Stream, str]:
        """What was held back, where nothing more comes."""
        held, self._held = self._held, {}
        return {stream: text.decode("utf-8", _SURROGATES) for stream, text in held.items()}


def _replaced(content: bytes, lowered: bytes, pattern: bytes, shown: bytes) -> Iterator[bytes]:
    begin = 0
    while (at := lowered.find(pattern, begin)) >= 0:
        yield content[begin:at]
        yield shown
        begin = at + len(pattern)
    yield content[begin:]


def _plain(name: str) -> str:
    return "".join(c for c in name if c.isalnum() or c in "_-.")


def _forms(value: str) -> set[bytes]:
    """Every way that a secret is looked for."""
    raw = value.encode("utf-8", _SURROGATES)
    texts = {value, raw.hex(), *_base64_forms(raw)}
    texts |= {quoted for text in [*texts] for quoted in (quote(text, safe=""), quote_plus(text))}
    texts |= {quote(value)}
    # Once more than promised: what is looked at may itself stand in the JSON of an event.
    for _ in range(3):
        texts |= {escaped for text in [*texts] for escaped in _escaped(text)}
    return {text.encode("utf-8", _SURROGATES) for text in texts}


def _base64_forms(raw: bytes) -> Iterator[str]:
    """The characters that depend on the secret alone, wherever it stands in what was encoded."""
    for offset in range(3):
        first = -(-offset * 8 // 6)
        last = (offset + len(raw)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(bytes(offset) + raw)[first:last].decode()


def _escaped(text: str) -> Iterator[str]:
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield json.dumps(text)[1:-1].replace("/", "\\/")
