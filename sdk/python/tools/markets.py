"""Writes superroot/forms/dex/_lists.py from crates/dex/src/factories.toml and crates/dex/src/tokens.toml; with --check,
compares instead (exit code 1 if it differs).

    python sdk/python/tools/markets.py [--check]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
LISTS = HERE.parents[2] / "crates" / "dex" / "src"
MODULE = HERE.parent / "superroot" / "forms" / "dex" / "_lists.py"
KNOWN = {
    "dex", "chains", "form", "address", "deployer", "init_code_hash", "implementation", "fees", "fees_change",
    "tick_spacings",
}
ROLES = {"usd_stable": 1, "wrapped_native": 2}

HEAD = '''"""Factories whose pools are believed, and well-known tokens. Written by tools/markets.py from crates/dex/src: do not
edit."""

from __future__ import annotations

from typing import Dict, Tuple

from ._rows import Factory, Token

FACTORIES: Tuple[Factory, ...] = (
'''


def literal(value: Any) -> str:
    """A Python literal; addresses and hashes in lower case."""
    if isinstance(value, list):
        inner = ", ".join(literal(one) for one in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, str):
        return json.dumps(value.lower() if value.startswith("0x") else value, ensure_ascii=True)
    return repr(value)


def factory(row: dict[str, Any]) -> str:
    unknown = set(row) - KNOWN
    if unknown:
        raise ValueError(f"a member that is not known: {sorted(unknown)}")
    return "    Factory(" + ", ".join(f"{name}={literal(value)}" for name, value in row.items()) + "),\n"


def token(row: dict[str, Any]) -> str:
    roles = sum(ROLES[role] for role in row.get("roles", []))
    return f"        Token({literal(row['address'])}, {literal(row['symbol'])}, {row['decimals']}, {roles}),\n"


def load(name: str) -> dict[str, Any]:
    with (LISTS / name).open("rb") as file:
        return tomllib.load(file)


def render() -> str:
    rows = "".join(factory(row) for row in load("factories.toml")["factory"])
    tokens = "".join(
        f"    {literal(chain)}: (\n" + "".join(token(row) for row in section["tokens"]) + "    ),\n"
        for chain, section in load("tokens.toml").items()
    )
    return HEAD + rows + ")\n\n#: By chain.\nTOKENS: Dict[str, Tuple[Token, ...]] = {\n" + tokens + "}\n"


def main() -> int:
    made = render()
    if "--check" in sys.argv[1:]:
        if MODULE.read_text(encoding="utf-8") == made:
            return 0
        print(f"{MODULE} is not what {LISTS} gives: run {sys.argv[0]}", file=sys.stderr)
        return 1
    MODULE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
