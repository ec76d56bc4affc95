"""Pools of decentralized exchanges: what their events say. docs/protocol/prices.md."""
