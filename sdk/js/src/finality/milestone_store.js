// @ts-check
// Path from a value in a store of Heimdall to the root over all stores. Nodes are in parts instead of raw prefixes, so only
// nodes of the two forms can be written; what ICS 23 checks besides is in `storeRoot`. Sources: cosmos/iavl `node.go`,
// `proof_ics23.go`; cosmos/ics23 `go/ops.go`, `go/proof.go`.
//
// path       version:varint ‖ count:u8 ‖ (side:u8 ‖ height:varint ‖ size:varint ‖ version:varint ‖ sibling:32)*
// stores     count:u8 ‖ (side:u8 ‖ sibling:32)*

import { concat, need, Reader, U64_MAX } from "./bytes.js";
import { sha256 } from "./hash.js";
import { readVarint, varint } from "./ledger/protobuf.js";

/** Most inner nodes on a path in a store, and on one over the stores. */
const [IAVL_DEPTH_MAX, STORES_DEPTH_MAX] = [64, 16];
/** Longest prefix of an inner node, with the first child's length. */
const PREFIX_BYTES_MAX = 12;
const KEY_BYTES_MAX = 0x7f;
const HASH_LENGTH = Uint8Array.of(32);
const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];

/** @typedef {{ isSiblingLeft: boolean, sibling: Uint8Array }} StoreStep */
/** @typedef {StoreStep & { height: bigint, size: bigint, version: bigint }} IavlStep */
/** @typedef {{ version: bigint, steps: IavlStep[] }} IavlPath */

/** @param {Reader} reader @returns {boolean} whether the sibling is on the left */
function readSide(reader) {
  const side = reader.u8();
  need(side <= 1);
  return side === 1;
}

/** @param {Reader} reader @param {number} max */
function readCount(reader, max) {
  const count = reader.u8();
  need(count <= max);
  return count;
}

/** @param {Reader} reader @returns {IavlPath} */
export function readIavlPath(reader) {
  const version = readVarint(reader);
  const steps = Array.from({ length: readCount(reader, IAVL_DEPTH_MAX) }, () => ({
    isSiblingLeft: readSide(reader), height: readVarint(reader), size: readVarint(reader),
    version: readVarint(reader), sibling: reader.hash(),
  }));
  return { version, steps };
}

/** @param {Reader} reader @returns {StoreStep[]} */
export const readStorePath = (reader) =>
  Array.from({ length: readCount(reader, STORES_DEPTH_MAX) }, () => ({
    isSiblingLeft: readSide(reader), sibling: reader.hash(),
  }));

/** Height, size and version, each doubled as zigzag does. @param {bigint[]} numbers @returns {Uint8Array} */
function prefixOf(numbers) {
  need(numbers.every((number) => number * 2n <= U64_MAX));
  return concat(...numbers.map((number) => varint(number * 2n)));
}

/** `prefix ‖ length ‖ key ‖ 20 ‖ sha256(value)`, hashed. @param {Uint8Array} prefix @param {Uint8Array} key
 * @param {Uint8Array} value */
function leafOf(prefix, key, value) {
  need(key.length >= 1 && key.length <= KEY_BYTES_MAX && value.length > 0);
  return sha256(prefix, Uint8Array.of(key.length), key, HASH_LENGTH, sha256(value));
}

/** @param {StoreStep} step @param {Uint8Array} node @returns {[Uint8Array, Uint8Array]} */
const ordered = ({ isSiblingLeft, sibling }, node) => (isSiblingLeft ? [sibling, node] : [node, sibling]);

/** Root of a store over a key and its value. Heights rise. @param {IavlPath} path @param {Uint8Array} key
 * @param {Uint8Array} value @returns {Uint8Array} */
export function storeRoot({ version, steps }, key, value) {
  let below = 0n;
  let node = leafOf(prefixOf([0n, 1n, version]), key, value);
  for (const step of steps) {
    const prefix = prefixOf([step.height, step.size, step.version]);
    need(step.height > below && prefix.length < PREFIX_BYTES_MAX);
    below = step.height;
    const [left, right] = ordered(step, node);
    node = sha256(prefix, HASH_LENGTH, left, HASH_LENGTH, right);
  }
  return node;
}

/** Root over all stores. @param {StoreStep[]} steps @param {Uint8Array} name @param {Uint8Array} store its root */
export const rootOfStores = (steps, name, store) =>
  steps.reduce((node, step) => sha256(NODE, ...ordered(step, node)), leafOf(LEAF, name, store));
