// @ts-check
// Accounts and storage under a state root of the EVM family: Ethereum yellow paper 4.1 and appendix D, EIP-1186,
// EIP-2935.

import { fromHex, need, Reader, readOrNull, same, wordOf } from "../bytes.js";
import { keccak256 } from "../hash.js";
import { rlpBytes, rlpItems, rlpList, rlpNumber } from "./rlp.js";

/** @typedef {import("./rlp.js").RlpItem} RlpItem */
/** @typedef {null | { hash: Uint8Array } | { inline: Uint8Array }} Child */
/** Trie nodes from a root down to a key. @typedef {Uint8Array[]} StateNodes */
/** @typedef {{ number: bigint, account: StateNodes, word: StateNodes }} HistorySlot */

const HISTORY_CONTRACT = fromHex("0x0000f90827f1c53a10cb7a02335b175320002935");
const EMPTY_NODE = Uint8Array.of(0x80);
const HASH_BYTES = 32;

/** @param {Uint8Array} bytes @returns {number[]} */
const nibbles = (bytes) => Array.from(bytes).flatMap((byte) => [byte >> 4, byte & 15]);

/** @param {RlpItem} item @returns {Child} */
function readChild(item) {
  if (item.isList) {
    need(item.whole.length < HASH_BYTES);
    return { inline: item.whole };
  }
  if (item.payload.length === 0) return null;
  need(item.payload.length === HASH_BYTES);
  return { hash: item.payload };
}

/** Path of a leaf or an extension. @param {Uint8Array} packed */
function readPath(packed) {
  need(packed.length > 0);
  const flag = packed[0] >> 4;
  const isOdd = (flag & 1) === 1;
  need(flag <= 3 && (isOdd || (packed[0] & 15) === 0));
  return { path: nibbles(packed).slice(isOdd ? 1 : 2), isLeaf: (flag & 2) === 2 };
}

/** @param {RlpItem[]} fields @param {number[]} key
 * @returns {{ value: Uint8Array | null } | { next: Child, key: number[] }} */
function stepBranch(fields, key) {
  const children = fields.slice(0, 16).map(readChild);
  const value = rlpBytes(fields[16]);
  const filled = children.filter((child) => child !== null).length + (value.length > 0 ? 1 : 0);
  need(filled >= 2);
  if (key.length === 0) return { value: value.length > 0 ? value : null };
  return { next: children[key[0]], key: key.slice(1) };
}

/** One step along a key; the whole node is read. @param {Uint8Array} node @param {number[]} key nibbles that are left
 * @returns {{ value: Uint8Array | null } | { next: Child, key: number[] }} */
function step(node, key) {
  const fields = rlpList(node);
  if (fields.length === 17) return stepBranch(fields, key);
  need(fields.length === 2);
  const { path, isLeaf } = readPath(rlpBytes(fields[0]));
  if (isLeaf) {
    const value = rlpBytes(fields[1]);
    need(value.length > 0);
    const isOwn = path.length === key.length && path.every((nibble, at) => nibble === key[at]);
    return { value: isOwn ? value : null };
  }
  const below = readChild(fields[1]);
  need(path.length > 0 && below !== null);
  if (!path.every((nibble, at) => nibble === key[at])) return { value: null };
  return { next: below, key: key.slice(path.length) };
}

/** Value under a key; null for a proven absence. No node may be missing or left over.
 * @param {Uint8Array} root @param {Uint8Array} key @param {StateNodes} nodes @returns {Uint8Array | null} */
function walk(root, key, nodes) {
  let taken = 0;
  /** @param {Uint8Array} hash */
  const take = (hash) => {
    const node = nodes[taken++];
    need(node && same(keccak256(node), hash));
    need(taken === 1 || node.length >= HASH_BYTES);
    return node;
  };
  let node = take(root);
  let rest = nibbles(key);
  /** @type {Uint8Array | null} */
  let value = null;
  while (!(taken === 1 && same(node, EMPTY_NODE))) {
    const done = step(node, rest);
    if ("value" in done) {
      value = done.value;
      break;
    }
    if (done.next === null) break;
    rest = done.key;
    node = "inline" in done.next ? done.next.inline : take(done.next.hash);
  }
  need(taken === nodes.length);
  return value;
}

/** `count:u8 ‖ (length:u32 ‖ node)*` @param {Reader} reader @returns {StateNodes} */
export function readNodes(reader) {
  const count = reader.u8();
  return Array.from({ length: count }, () => reader.long());
}

/** Account under a state root; null without proof, or for a missing account.
 * @param {StateNodes} nodes @param {Uint8Array} stateRoot @param {Uint8Array} address */
export function accountOf(nodes, stateRoot, address) {
  return readOrNull(() => {
    const leaf = walk(stateRoot, keccak256(address), nodes);
    if (leaf === null) return null;
    const fields = rlpList(leaf);
    need(fields.length === 4);
    rlpNumber(fields[0], 32);
    rlpNumber(fields[1], 32);
    return { storageRoot: rlpBytes(fields[2], HASH_BYTES), codeHash: rlpBytes(fields[3], HASH_BYTES) };
  });
}

/** Word in a slot; null without proof, or for an empty slot.
 * @param {StateNodes} nodes @param {Uint8Array} storageRoot @param {Uint8Array} slot @returns {Uint8Array | null} */
export function wordIn(nodes, storageRoot, slot) {
  return readOrNull(() => {
    const leaf = walk(storageRoot, keccak256(slot), nodes);
    if (leaf === null) return null;
    const items = rlpItems(leaf);
    need(items.length === 1);
    if (rlpNumber(items[0], HASH_BYTES) === 0n) return null;
    const word = new Uint8Array(HASH_BYTES);
    word.set(items[0].payload, HASH_BYTES - items[0].payload.length);
    return word;
  });
}

/** An ancestor in the history contract: `number:u64 ‖ account ‖ word`. @param {Uint8Array} bytes @returns {HistorySlot} */
export function readHistorySlot(bytes) {
  const reader = new Reader(bytes);
  const slot = { number: reader.u64(), account: readNodes(reader), word: readNodes(reader) };
  reader.end();
  return slot;
}

/** The ancestor's hash in the state after block `at`, in a ring of `ring` slots; null without proof, or for a block
 * outside the ring. @param {HistorySlot} slot @param {bigint} ring @param {bigint} at @param {Uint8Array} stateRoot */
export function ancestorHash(slot, ring, at, stateRoot) {
  const behind = at - slot.number;
  if (behind < 1n || behind > ring) return null;
  const account = accountOf(slot.account, stateRoot, HISTORY_CONTRACT);
  return account && wordIn(slot.word, account.storageRoot, wordOf(slot.number % ring));
}

