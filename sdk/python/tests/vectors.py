"""Vectors of the repository, and proofs of each ledger to damage."""

from __future__ import annotations

import json
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
