// @ts-check
// Levels 1 and 2 of the Bitcoin family: headers of 80 bytes, and the tree of transaction hashes.
// docs/protocol.md, "Bitcoin (rule 0101)".

import { same, sha256d } from "./hash.js";

const TX_COUNT_MAX = 16666;
const TX_BYTES_MAX = 1000000;
const SATOSHI_MAX = 2100000000000000n;

/** @typedef {{ outputs: { satoshi: bigint, script: Uint8Array }[], isCoinbase: boolean }} Transaction */

/** Places on the way from a transaction up to the root: which side the node is on, and whether it stands
 * beside itself. @param {number} index @param {number} count */
function way(index, count) {
  if (count === 0 || count > TX_COUNT_MAX || index >= count) throw new Error("no block has such a transaction");
  const places = [];
  for (let [at, length] = [index, count]; length > 1; at >>= 1, length = Math.ceil(length / 2)) {
    places.push({ isRight: at % 2 === 1, isAlone: at % 2 === 0 && at + 1 >= length });
  }
  return places;
}

/** Siblings of a branch, as index and count give them. @param {number} index @param {number} count */
export const siblingCount = (index, count) => way(index, count).filter((place) => !place.isAlone).length;

/** The root that a transaction and its branch lead to.
 * @param {Uint8Array} leaf @param {number} index @param {number} count @param {Uint8Array[]} siblings */
export function rootOf(leaf, index, count, siblings) {
  const left = [...siblings];
  let node = hashOf(leaf);
  for (const { isRight, isAlone } of way(index, count)) {
    const sibling = isAlone ? undefined : left.shift();
    if (sibling && same(sibling, node)) throw new Error("a node is paired with a copy of itself");
    const other = sibling ?? node;
    node = isRight ? sha256d(other, node) : sha256d(node, other);
  }
  return node;
}

/** Transaction hash, in the order of bytes in which it is hashed. @param {Uint8Array} leaf */
export const hashOf = (leaf) => sha256d(leaf);

/** Reads a header; its sha256d is the block hash. It names no number.
 * @param {Uint8Array} bytes */
export function readHeader(bytes) {
  if (bytes.length !== 80) throw new Error("a header has 80 bytes");
  const timestamp = new DataView(bytes.buffer, bytes.byteOffset).getUint32(68, true);
  return { merkleRoot: bytes.subarray(36, 68), timestamp };
}

/** Reads a transaction without its witness, whole. @param {Uint8Array} leaf @returns {Transaction} */
export function readTransaction(leaf) {
  checkLength(leaf);
  const view = new DataView(leaf.buffer, leaf.byteOffset, leaf.length);
  let at = 0;
  /** @param {number} length */
  const take = (length) => {
    if (at + length > leaf.length) throw new Error("the transaction is cut short");
    at += length;
    return leaf.subarray(at - length, at);
  };
  const size = () => {
    const first = take(1)[0];
    if (first < 0xfd) return first;
    const bytes = first === 0xfd ? 2 : first === 0xfe ? 4 : 8;
    const value = take(bytes).reduceRight((all, byte) => all * 256 + byte, 0);
    const floor = { 2: 0xfd, 4: 0x10000, 8: 0x100000000 }[bytes] ?? 0;
    if (value < floor || !Number.isSafeInteger(value)) throw new Error("a count in a longer form");
    return value;
  };
  /** @param {number} bytesMin */
  const count = (bytesMin) => {
    const items = size();
    if (items === 0 || items * bytesMin > leaf.length - at) throw new Error("a count out of bounds");
    return items;
  };
  take(4);
  const inputs = Array.from({ length: count(41) }, () => {
    const [previous, script] = [take(36), take(size())];
    take(4);
    return { previous, script };
  });
  const outputs = Array.from({ length: count(9) }, () => {
    const satoshi = view.getBigUint64((take(8), at - 8), true);
    if (satoshi > SATOSHI_MAX) throw new Error("an output of more than there is");
    return { satoshi, script: take(size()) };
  });
  take(4);
  if (at !== leaf.length) throw new Error("bytes follow the transaction");
  const [first] = inputs;
  const spendsNothing = first.previous.every((byte, place) => byte === (place < 32 ? 0 : 0xff));
  const isScript = first.script.length >= 2 && first.script.length <= 100;
  return { outputs, isCoinbase: inputs.length === 1 && spendsNothing && isScript };
}

/** @param {Uint8Array} leaf */
function checkLength(leaf) {
  if (leaf.length === 64) throw new Error("a transaction of 64 bytes could be an inner node");
  if (leaf.length > TX_BYTES_MAX) throw new Error("the transaction is too long");
}
