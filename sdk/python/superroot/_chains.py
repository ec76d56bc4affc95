"""Chains that this verifier knows. Written by tools/chains.py from crates/chain/chains.toml: do not edit."""

from __future__ import annotations

from typing import Tuple

#: (family, chain id, name, CAIP-2 name, rules as (first number, code), words that lead to the row)
Row = Tuple[int, int, str, str, Tuple[Tuple[int, int], ...], Tuple[str, ...]]

ROWS: Tuple[Row, ...] = (
    (0, 1, "Ethereum", "eip155:1", ((0, 0x0001),), ("ethereum", "eth", "mainnet")),
    (0, 10, "OP Mainnet", "eip155:10", ((0, 0x0001),), ("optimism", "op")),
    (0, 56, "BNB Smart Chain", "eip155:56", ((0, 0x0001),), ("bnb", "bsc")),
    (0, 100, "Gnosis", "eip155:100", ((0, 0x0002), (25349537, 0x0001)), ("gnosis", "xdai")),
    (0, 130, "Unichain", "eip155:130", ((0, 0x0001),), ("unichain",)),
    (0, 137, "Polygon PoS", "eip155:137", ((0, 0x0001),), ("polygon", "matic")),
    (0, 143, "Monad", "eip155:143", ((0, 0x0001),), ("monad",)),
    (0, 146, "Sonic", "eip155:146", ((0, 0x0006),), ("sonic",)),
    (0, 480, "World Chain", "eip155:480", ((0, 0x0001),), ("worldchain", "world")),
    (0, 999, "HyperEVM", "eip155:999", ((0, 0x0001),), ("hyperevm", "hyperliquid")),
    (0, 1868, "Soneium", "eip155:1868", ((0, 0x0001),), ("soneium",)),
    (0, 8453, "Base", "eip155:8453", ((0, 0x0001),), ("base",)),
    (0, 42161, "Arbitrum One", "eip155:42161", ((0, 0x0001),), ("arbitrum", "arb")),
    (0, 42220, "Celo", "eip155:42220", ((0, 0x0003), (21616000, 0x0004), (31056500, 0x0001)), ("celo",)),
    (0, 43114, "Avalanche C", "eip155:43114", ((0, 0x0005),), ("avalanche", "avax")),
    (0, 57073, "Ink", "eip155:57073", ((0, 0x0001),), ("ink",)),
    (0, 59144, "Linea", "eip155:59144", ((0, 0x0001),), ("linea",)),
    (0, 167000, "Taiko Alethia", "eip155:167000", ((0, 0x0001),), ("taiko",)),
    (0, 534352, "Scroll", "eip155:534352", ((0, 0x0001),), ("scroll",)),
    (1, 21000000, "Bitcoin", "bip122:000000000019d6689c085ae165831e93", ((0, 0x0101),), ("bitcoin", "20000000000001", "8253038", "btc")),
    (2, 200, "Solana", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", ((0, 0x0201), (418629925, 0x0202)), ("solana", "1151111081099710", "34268394551451", "1399811149", "7565164", "sol")),
    (3, 400, "Polkadot", "polkadot:91b171bb158e2d3848fa23a9f1c25182", ((0, 0x0301),), ("polkadot", "dot")),
    (4, 728126428, "Tron", "tron:0x2b6653dc", ((0, 0x0401),), ("tron", "100000026", "trx")),
    (5, 637, "Aptos", "aptos:1", ((0, 0x0501),), ("aptos", "600", "apt")),
    (6, 784, "Sui", "sui:35834a8a", ((0, 0x0601),), ("sui", "9270000000000000", "103665049")),
    (7, 223, "ICP ledger", "icp:1", ((0, 0x0701),), ("icp",)),
    (8, 118, "Cosmos Hub", "cosmos:cosmoshub-4", ((5200791, 0x0801),), ("cosmoshub", "atom", "cosmos")),
)
