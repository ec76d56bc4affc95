"""Notes, cosignatures and policies: vectors/notes."""

from __future__ import annotations

import unittest
from typing import Any, Dict, Optional, Tuple

import worlds
from superroot import Note, NoteError, VerifierKey, WitnessPolicy, read_note
from vectors import rows


def note_verdict(row: Dict[str, Any]) -> Tuple[Optional[str], Optional[Dict[str, str]]]:
    try:
        policy = None if row["policy"] is None else WitnessPolicy.parse(row["policy"])
        checkpoint = read_note(row["note"], VerifierKey.parse(row["key"]), policy)
    except NoteError as error:
        return error.fault, None
    shows = {"origin": checkpoint.origin, "size": str(checkpoint.size), "root": "0x" + checkpoint.root.hex()}
    return None, shows


class Notes(unittest.TestCase):
    def test_every_note_has_its_content_or_fault(self) -> None:
        read = rows("notes/notes.json")
        self.assertGreaterEqual(len(read), 63)
        for row in read:
            with self.subTest(name=row["name"]):
                self.assertEqual(note_verdict(row), (row["refused_at"], row.get("shows")))

    def test_every_cosignature_has_its_time_or_fault(self) -> None:
        read = rows("notes/cosignatures.json")
        self.assertGreaterEqual(len(read), 15)
        for row in read:
            with self.subTest(name=row["name"]):
                time, fault = None, None
                try:
                    time = Note.parse(row["note"]).verify(VerifierKey.parse(row["key"]))
                except NoteError as error:
                    fault = error.fault
                self.assertEqual(fault, row["refused_at"])
                if fault is None:
                    self.assertEqual(time, row["time"])

    def test_every_flipped_bit_of_a_note_is_refused_with_note_error(self) -> None:
        log = worlds.Signer("log.example")
        key = VerifierKey.parse(log.vkey)
        text = worlds.checkpoint_text(log.name, 7, bytes(range(32)))
        raw = (text + "\n" + log.line(text)).encode("utf-8")
        self.assertEqual(read_note(raw.decode(), key).size, 7)
        for place in range(len(raw)):
            damaged = bytearray(raw)
            damaged[place] ^= 1 << place % 7
            with self.subTest(place=place), self.assertRaises(NoteError):
                read_note(damaged.decode("utf-8", "surrogateescape"), key)

    def test_a_policy_of_many_groups_is_judged(self) -> None:
        row = next(row for row in rows("notes/notes.json") if row["name"] == "a group of a group")
        lines = row["policy"].splitlines()
        name = lines[-1].split()[1]
        chain = [line for line in lines if not line.startswith("quorum")]
        for number in range(240):
            chain.append(f"group g{number} any {name if number == 0 else f'g{number - 1}'}")
        policy = WitnessPolicy.parse("\n".join([*chain, "quorum g239"]))
        checkpoint = read_note(row["note"], VerifierKey.parse(row["key"]), policy)
        self.assertEqual(str(checkpoint.size), row["shows"]["size"])


if __name__ == "__main__":
    unittest.main()
