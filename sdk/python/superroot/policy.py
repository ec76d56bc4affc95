"""Witness policy: which cosignatures a client asks for (C2SP tlog-policy). docs/protocol/log.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Set, Tuple, Union

from .errors import NoteError
from .keys import LOG, WITNESS, VerifierKey

if TYPE_CHECKING:
    from .note import Note

POLICY_BYTES_MAX = 64 << 10
_NAMES_MAX = 256


@dataclass(frozen=True)
class _Witness:
    key: VerifierKey
    url: Optional[str]


@dataclass(frozen=True)
class _Group:
    threshold: int
    members: Tuple[str, ...]


@dataclass(frozen=True)
class WitnessPolicy:
    """Logs, witnesses, groups, and the quorum that a note needs; ``quorum`` is ``None`` where no witness is needed."""

    text: str
    logs: Tuple[VerifierKey, ...]
    members: Dict[str, Union[_Witness, _Group]]
    quorum: Optional[str]

    @classmethod
    def none(cls) -> "WitnessPolicy":
        """Asks for no witness."""
        return cls("quorum none\n", (), {}, None)

    @classmethod
    def parse(cls, text: str) -> "WitnessPolicy":
        """Raises :class:`NoteError` with the fault ``policy``."""
        return _Parser().parse(text)

    def is_met(self, note: "Note") -> bool:
        """Whether the quorum signed the note."""
        return self.quorum is None or self._has_signed(self.quorum, note)

    def _has_signed(self, name: str, note: "Note") -> bool:
        # members are named on earlier lines, so a group never contains itself
        signed: Dict[str, bool] = {}
        for member_name, member in self.members.items():
            if isinstance(member, _Witness):
                signed[member_name] = note.is_signed_by(member.key)
            else:
                signed[member_name] = sum(signed[one] for one in member.members) >= member.threshold
        return signed[name]


def _lines(text: str) -> List[str]:
    """Lines ended by a newline, or by CR and newline."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    ended = len(lines) if text.endswith("\n") else len(lines) - 1
    return [line[:-1] if place < ended and line.endswith("\r") else line for place, line in enumerate(lines)]


def _words(line: str) -> List[str]:
    return [word for part in line.split(" ") for word in part.split("\t") if word]


class _Parser:
    def __init__(self) -> None:
        self.logs: List[VerifierKey] = []
        self.members: Dict[str, Union[_Witness, _Group]] = {}
        self.taken: Set[str] = set()
        self.has_quorum = False
        self.quorum: Optional[str] = None
        self.line = 1

    def parse(self, text: str) -> WitnessPolicy:
        if len(text.encode("utf-8", "surrogatepass")) > POLICY_BYTES_MAX:
            self.fail("a policy has at most 65,536 bytes")
        for self.line, line in enumerate(_lines(text), 1):
            if any((letter < " " and letter != "\t") or letter == "\x7f" for letter in line):
                self.fail("no control character but tab and the end of a line")
            self.statement(_words(line))
            if len(self.logs) + len(self.members) > _NAMES_MAX:
                self.fail("a policy has at most 256 logs, witnesses and groups")
        if not self.has_quorum:
            self.fail("there is no quorum line")
        return WitnessPolicy(text, tuple(self.logs), self.members, self.quorum)

    def fail(self, why: str) -> None:
        raise NoteError("policy", f"line {self.line}: {why}")

    def statement(self, words: List[str]) -> None:
        if not words or words[0].startswith("#"):
            return
        forms: Dict[str, Tuple[Callable[[List[str]], None], int, float]] = {
            "log": (self.log, 1, 2),
            "witness": (self.witness, 2, 3),
            "group": (self.group, 2, float("inf")),
            "quorum": (self.set_quorum, 1, 1),
        }
        read, least, most = forms.get(words[0], (self.set_quorum, 1, 0))
        if not least <= len(words) - 1 <= most:
            self.fail("a line is log, witness, group or quorum, or a comment")
        read(words[1:])

    def key(self, text: str, kind: str, known: List[VerifierKey]) -> VerifierKey:
        try:
            key = VerifierKey.parse(text)
        except NoteError:
            raise NoteError("policy", f"line {self.line}: malformed key (vkey)") from None
        if key.kind != kind:
            self.fail(f"the key is not that of a {kind}")
        if any(other.public_key == key.public_key for other in known):
            self.fail("the key stands in another line")
        return key

    def log(self, words: List[str]) -> None:
        self.logs.append(self.key(words[0], LOG, self.logs))

    def witness(self, words: List[str]) -> None:
        known = [member.key for member in self.members.values() if isinstance(member, _Witness)]
        key = self.key(words[1], WITNESS, known)
        self.name(words[0], _Witness(key, words[2] if len(words) > 2 else None))

    def group(self, words: List[str]) -> None:
        name, threshold_word, members = words[0], words[1], words[2:]
        threshold = {"any": 1, "all": len(members)}.get(threshold_word, 0)
        if threshold_word.isascii() and threshold_word.isdigit() and threshold_word[0] != "0":
            threshold = int(threshold_word[:9]) if len(threshold_word) <= 9 else 0
        if not 0 < threshold <= len(members):
            self.fail("a group is any, all or a number of at least one member")
        for member in members:
            if member not in self.members:
                self.fail("a group names witnesses and groups of lines before it")
            if member in self.taken:
                self.fail("a witness or group is a member once")
            self.taken.add(member)
        self.name(name, _Group(threshold, tuple(members)))

    def name(self, name: str, member: Union[_Witness, _Group]) -> None:
        if name == "none" or name in self.members:
            self.fail("the name is taken")
        self.members[name] = member

    def set_quorum(self, words: List[str]) -> None:
        if self.has_quorum:
            self.fail("there is one quorum line")
        if words[0] != "none" and words[0] not in self.members:
            self.fail("the quorum names a witness or group of a line before it")
        self.has_quorum = True
        self.quorum = None if words[0] == "none" else words[0]
