"""Result of ``verify`` in words, as ``superroot verify`` says it."""

from __future__ import annotations

import datetime
from typing import Any, List, Optional, Tuple

from .errors import ProofError
from .facts import Anchor, Facts
from .finality import FinalityShown
from .statement import ABSENCE, BLOCK, EVENT

LEVELS = ((1, "entry"), (2, "block"), (3, "twig"), (4, "mini_mmr"), (5, "super_root"))
_NETWORKS = {
    "live": "live",
    "recorded": "RECORDED: replayed blocks; may have gaps and are not current",
    "simulated": "SIMULATED: made-up chains, nothing of it is real",
}
_VALUE_CHARS_MAX = 130
_ITEMS_MAX = 4
_INDENT = " " * 23
Members = List[Tuple[str, Any]]
#: Mark, words, and what is shown.
FinalityLine = Tuple[str, str, Members]


def plain(text: str) -> str:
    """Text from outside without control characters, which could draw over the verdict."""
    return "".join(letter if letter.isprintable() else f"\\u{{{ord(letter):x}}}" for letter in text)


def shown_origin(origin: str) -> str:
    """Origin with letters that may be taken for others escaped."""
    return "".join(
        letter if "!" <= letter <= "~" and not "A" <= letter <= "Z" and letter != "\\" else f"\\u{{{ord(letter):x}}}"
        for letter in origin
    )


def _word(name: str, value: Any) -> str:
    if isinstance(value, bytes):
        text = "0x" + value.hex()
        if len(text) > _VALUE_CHARS_MAX:
            return f"{text[:_VALUE_CHARS_MAX]}… ({len(value)} bytes)"
        return text
    if isinstance(value, int) and name == "timestamp" and 0 <= value < 1 << 37:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=value)
        return f"{value} ({moment.isoformat()}Z)"
    text = plain("none" if value is None else str(value))
    if len(text) <= _VALUE_CHARS_MAX:
        return text
    return f"{text[:_VALUE_CHARS_MAX]}… ({len(text.encode('utf-8'))} bytes)"


def member_lines(members: Members) -> List[str]:
    """A line for each member, and for each item of a list."""
    lines: List[str] = []
    for name, value in members:
        shown = name.replace("_", " ")
        if isinstance(value, (list, tuple)):
            parts = list(enumerate(value))[:_ITEMS_MAX]
            lines += [f"{_INDENT}{f'{shown} {place}':<17} {_word(name, one)}" for place, one in parts]
        else:
            lines.append(f"{_INDENT}{shown:<17} {_word(name, value)}")
    return lines


def _entry(facts: Facts) -> Tuple[str, Members]:
    statement = facts.statement
    members: Members = []
    kind = statement.subject.kind
    if kind == ABSENCE:
        members.append(("transactions_root", facts.transactions_root))
        words = facts.sentence.split(" of block ")[0]
    elif kind == EVENT:
        words = facts.sentence.split(" of block ")[0]
        if facts.event is not None:
            members += list(facts.event.fields.items())
    else:
        index = "" if statement.tx_index is None else f" at index {statement.tx_index}"
        words = f"the block has this transaction{index}"
        if not facts.block_bound:
            words = "the chain has this transaction by this block"
    if facts.transaction is not None:
        members.append(("transaction_hash", facts.transaction.hash))
    if facts.receipt is not None and "status" in facts.receipt:
        members.append(("status", facts.receipt["status"]))
    return words + ("" if facts.header is not None else ", under a root that only the proof names"), members


def _level(facts: Facts, level: int) -> Optional[Tuple[str, Members]]:
    """What a level shows; ``None`` where the proof does not have it."""
    header, twig, place, super_root = facts.header, facts.twig, facts.place, facts.super_root
    if level == 1:
        return None if facts.statement.subject.kind == BLOCK else _entry(facts)
    if level == 2 and header is not None:
        number = header.number
        words = "the header has this hash, and names no number"
        if number is not None:
            words = f"the header of block {number} has this hash"
        named = [("parent_hash", header.parent_hash), ("number", number), ("timestamp", header.timestamp)]
        return words, [("block_hash", header.block_hash), *((name, value) for name, value in named if value is not None)]
    if level == 3 and twig is not None:
        words = f"the block is in slot {twig.slot} of twig {twig.index}"
        return words, [("twig_index", twig.index), ("slot", twig.slot), ("twig_root", twig.root)]
    if level == 4 and place is not None and place.sealed:
        family = facts.statement.family_name
        words = f"the twig is leaf {place.leaf_index} of {place.leaf_count} of the {family} Mini-MMR"
        members = [("leaf_index", place.leaf_index), ("leaf_count", place.leaf_count), ("mini_mmr_root", place.root)]
        return words, members
    if level == 5 and super_root is not None and place is not None:
        what = "the Mini-MMR" if place.sealed else "the chain's block reference"
        members = [("super_root_hash", super_root.hash), ("sequence", super_root.sequence)]
        members.append(("timestamp", super_root.timestamp))
        if not place.sealed:
            members += [("committed_from", place.start), ("committed_to", place.number)]
        return f"SuperRoot {super_root.sequence} commits to {what}", members
    return None


def _missing(facts: Facts, level: int) -> str:
    if level == 1:
        return "a block's proof has no level 1"
    if level == 4 and facts.place is not None:
        return "not on this way: open twig, it stands in the block reference"
    return "the proof ends below"


def anchor_words(anchor: Anchor) -> str:
    """Why the SuperRoot is trusted."""
    words = {
        "superroot": "anchored to the --superroot that you gave",
        "key": f"signed, at size {anchor.size}, by the --key that you gave",
        "store": f"signed, at size {anchor.size}, by the key that {anchor.source} pins",
        "pin": f"pinned in your trust store {anchor.source}",
    }[anchor.by]
    if anchor.witnessed:
        its_note = ", its note signed by the quorum of your witnesses"
        words += its_note if anchor.size is None else ", and by the quorum of your witnesses"
    if anchor.joined is False:
        words += "; not joined to your pin: `superroot trust update` compares the log with it"
    if anchor.first_use:
        words += "; first_use: the key was taken from the service and never confirmed"
    if anchor.note_fault is not None:
        words += f"; the note of the proof does not count: {anchor.note_fault}"
    return words


def not_shown(facts: Facts, final: Optional[FinalityShown] = None) -> List[str]:
    """What a reader might take for shown, and is not. ``final``: the finality that was checked besides."""
    lines: List[str] = []
    if facts.header is None:
        lines.append("which block it is in: the proof has no header, so chain and number are a claim")
    elif not facts.number_bound and (final is None or final.number is None):
        lines.append("the block's number: its hash does not bind it (number_bound: false)")
    if not facts.index_bound:
        lines.append("the transaction's position in the block: no hash counts those before it")
    if not facts.block_bound:
        lines.append("in which block the transaction is: it is in the chain by this block, in this or an earlier one")
    if facts.receipt is not None and facts.transaction is None:
        lines.append("the hash of the transaction: the proof has its receipt, not the transaction")
    if facts.event is not None and facts.event.kind == "event_list":
        lines.append("which bytes of the list the event is, and which transaction brought it about")
    if facts.header is not None and facts.twig is None:
        lines.append("the chain: below level 3 it is a claim")
    if facts.statement.subject.kind == ABSENCE:
        lines.append("that nodes show nothing there: some chains have entries besides the tries of the header")
    if facts.super_root is None:
        return [*lines, "any SuperRoot: the proof ends below level 5"]
    if final is None:
        lines.append("canonicity: that the chain's own consensus chose this block")
        lines.append("finality: that the block can no longer be replaced")
    lines.append("the SuperRoot's time: its timestamp is the service's word")
    if facts.anchor is None or not facts.anchor.witnessed:
        lines.append("publication: that everybody else is shown this same SuperRoot")
    return lines


def head_lines(sentence: str, origin: str, network: str) -> List[str]:
    return [
        f"Statement  {sentence}",
        f"Network    {_NETWORKS[network]}",
        f"Origin     {shown_origin(origin)}",
        "",
    ]


def check_line(mark: str, name: str, words: str) -> str:
    return f"{mark} {name:<20} {plain(words)}"


def true_levels(facts: Facts) -> List[str]:
    """Statement and levels of a proof whose levels hold."""
    lines = head_lines(facts.sentence, facts.origin, facts.network)
    for level, name in LEVELS:
        shown = _level(facts, level)
        label = f"level {level}  {name:<11}"
        if shown is None:
            lines.append(check_line("-", label, _missing(facts, level)))
            continue
        words, members = shown
        lines.append(check_line("✓", label, words))
        lines += member_lines(members)
    return lines


def report(
    facts: Facts, failure: Optional[ProofError], finality: Optional[FinalityLine] = None,
    final: Optional[FinalityShown] = None,
) -> List[str]:
    """Report on a proof whose levels hold; ``failure`` is that of its anchor."""
    lines = true_levels(facts)
    if failure is None and facts.anchor is not None:
        lines.append(check_line("✓", "anchor", anchor_words(facts.anchor)))
    elif failure is not None:
        lines.append(check_line("✗", "anchor", failure.reason))
    if finality is not None:
        mark, words, members = finality
        lines += [check_line(mark, "finality", words), *member_lines(members)]
    lines += ["", "Not shown:"]
    lines += [f"  - {plain(line)}" for line in not_shown(facts, final)]
    return lines


def step_lines(failure: ProofError) -> List[str]:
    """The failing step of a proof that is false."""
    levels = dict((name, level) for level, name in LEVELS)
    name = failure.step
    if name in levels:
        name = f"level {levels[name]}  {name:<11}"
    return [check_line("✗", name, failure.reason)]
