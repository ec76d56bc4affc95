"""Vectors of the repository, and proofs of each ledger to damage."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

from superroot import ProofError, TrustedSuperRoot, verify

FOLDER = Path(__file__).resolve().parents[3] / "vectors"
REAL_EVENT = FOLDER / "real" / "ethereum-13998626-event.srproof"
#: Answers of a demo of the service, each as text, under one key; the tests of the JavaScript client read them too.
ANSWERS = FOLDER.parent / "sdk" / "js" / "test" / "answers.json"
#: Names of steps in the vectors.
STEPS = {
    "level 1 (entry)": "entry",
    "level 2 (block)": "block",
    "level 3 (twig)": "twig",
    "level 4 (mini_mmr)": "mini_mmr",
    "level 5 (super_root)": "super_root",
}
FAMILIES = ("evm", "bitcoin", "solana", "polkadot", "tron", "aptos", "sui", "icp", "cosmos")


def rows(path: str) -> List[Dict[str, Any]]:
    """Rows of one file below ``vectors/``."""
    read: List[Dict[str, Any]] = json.loads((FOLDER / path).read_text(encoding="utf-8"))
    return read


def proofs() -> Iterator[Tuple[str, Dict[str, Any]]]:
    """Every row with a proof file in valid, real, hostile and protocol, with the name of its file."""
    for folder in ("valid", "real", "hostile", "protocol"):
        for path in sorted((FOLDER / folder).glob("*.json")):
            read = json.loads(path.read_text(encoding="utf-8"))
            for row in read if isinstance(read, list) else []:
                if "proof" in row and "calldata" not in row:
                    yield f"{folder}/{path.name}", row


def step_of(data: bytes, trusted: bytes) -> Any:
    """Step at which a proof is refused, ``None`` if it holds. Any other exception comes through."""
    try:
        verify(data, TrustedSuperRoot(trusted))
    except ProofError as error:
        return error.step
    return None


def one_of_each_ledger() -> Dict[str, Tuple[bytes, bytes]]:
    """The shortest valid proof of a transaction of each ledger, with its SuperRoot."""
    found: Dict[str, Tuple[bytes, bytes]] = {}
    for row in rows("valid/ledgers.json"):
        data = bytes.fromhex(row["proof"])
        family = FAMILIES[data[9 + data[8]]]
        is_transaction = data[9 + data[8] + 17] == 1
        if is_transaction and (family not in found or len(data) < len(found[family][0])):
            found[family] = data, bytes.fromhex(row["trusted"][2:])
    return found


def _patched(whole: Any, patch: List[Dict[str, Any]]) -> Any:
    """A body with a JSON Patch of ``add``, ``remove`` and ``replace``."""
    body = copy.deepcopy(whole)
    for step in patch:
        names = step["path"].split("/")[1:]
        parent = body
        for name in names[:-1]:
            parent = parent[int(name) if isinstance(parent, list) else name]
        last, is_list = names[-1], isinstance(parent, list)
        if step["op"] == "remove":
            del parent[int(last) if is_list else last]
        elif step["op"] == "add" and is_list:
            parent.insert(len(parent) if last == "-" else int(last), step["value"])
        else:
            parent[int(last) if is_list else last] = step["value"]
    return body


def bodies(path: str) -> List[Dict[str, Any]]:
    """Rows with their ``body``: whole, or another row's with a patch."""
    read = rows(path)
    whole = {row["name"]: row.get("body") for row in read}
    return [row if "body" in row else {**row, "body": _patched(whole[row["from"]], row["patch"])} for row in read]


def leaves(value: Any, path: Tuple[Any, ...] = ()) -> List[Tuple[Any, ...]]:
    """Ways to each value of JSON without members."""
    if isinstance(value, dict):
        return [way for name, inner in value.items() for way in leaves(inner, (*path, name))]
    if isinstance(value, list):
        return [way for place, inner in enumerate(value) for way in leaves(inner, (*path, place))]
    return [path]


def mutated(body: Any, path: Tuple[Any, ...], choice: random.Random) -> Any:
    """A copy in which the member at that path is another."""
    other = copy.deepcopy(body)
    parent: Any = other
    for name in path[:-1]:
        parent = parent[name]
    parent[path[-1]] = _mutant(parent[path[-1]], choice)
    return other


def _mutant(value: Any, choice: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return choice.choice([value + 1, -1, 2**53, 2**64, 1.5, str(value), None])
    if isinstance(value, str) and len(value) > 2:
        at = choice.randrange(2, len(value))
        letter = "1" if value[at] == "0" else "0"
        return choice.choice([value[:at] + letter + value[at + 1 :], value[:-1], value + "00", 7, None, {}, []])
    return choice.choice(["0x01", 7, [], {}, "x"])
