// @ts-check
// Ledger infos and epochs of Aptos in BCS, and the accumulator of transactions: docs/protocol/aptos.md. Sources:
// aptos-core `types/src/{ledger_info,block_info,epoch_state,waypoint}.rs`, `types/src/proof/definition.rs`.

import { concat, need, utf8 } from "../bytes.js";
import { sha3 } from "../hash.js";
import { BcsReader } from "./bcs.js";

export const PLACEHOLDER = concat(utf8("ACCUMULATOR_PLACEHOLDER_HASH"), new Uint8Array(4));
/** Greatest depth of an accumulator. */
export const DEPTH_MAX = 63;
export const VALIDATORS_MAX = 512;
const KEY_BYTES = 48;
const VALIDATOR_BYTES = 32 + 1 + KEY_BYTES + 8;

/** @param {string} name @returns {Uint8Array} */
const seed = (name) => sha3(utf8(`APTOS::${name}`));
const NODE_SEED = seed("TransactionAccumulator");
const LEDGER_INFO_SEED = seed("LedgerInfo");
const WAYPOINT_SEED = seed("Ledger2WaypointConverter");

/** @typedef {{ key: Uint8Array, power: bigint }} AptosValidator */
/** `bytes`: BCS of the epoch. @typedef {{ epoch: bigint, validators: AptosValidator[], bytes: Uint8Array }} AptosEpoch */
/** `bytes`: BCS of the ledger info. @typedef {{ epoch: bigint, root: Uint8Array, version: bigint, timestampUs: bigint,
 *   next: AptosEpoch | null, bytes: Uint8Array }} LedgerInfo */
/** `bytes`: BCS of the end.
 * @typedef {{ epoch: bigint, timestampUs: bigint, next: AptosEpoch, bytes: Uint8Array }} EpochEnd */

/** @param {BcsReader} reader @returns {AptosEpoch} */
function readEpoch(reader) {
  const begin = reader.at;
  const epoch = reader.u64le();
  const count = reader.count(VALIDATOR_BYTES);
  need(count >= 1 && count <= VALIDATORS_MAX);
  const validators = Array.from({ length: count }, () => {
    reader.hash();
    const key = reader.counted();
    need(key.length === KEY_BYTES);
    return { key, power: reader.u64le() };
  });
  return { epoch, validators, bytes: reader.all.subarray(begin, reader.at) };
}

/** @param {BcsReader} reader @returns {LedgerInfo} */
export function readLedgerInfo(reader) {
  const begin = reader.at;
  const epoch = reader.u64le();
  reader.u64le();
  reader.hash();
  const root = reader.hash();
  const [version, timestampUs] = [reader.u64le(), reader.u64le()];
  const next = reader.flag() ? readEpoch(reader) : null;
  reader.hash();
  return { epoch, root, version, timestampUs, next, bytes: reader.all.subarray(begin, reader.at) };
}

/** Reads the whole end of an epoch. @param {Uint8Array} bytes @returns {EpochEnd} */
export function readEpochEnd(bytes) {
  const reader = new BcsReader(bytes);
  const epoch = reader.u64le();
  reader.hash();
  reader.u64le();
  const timestampUs = reader.u64le();
  need(reader.flag());
  const next = readEpoch(reader);
  reader.end();
  return { epoch, timestampUs, next, bytes };
}

/** End of the epoch of a ledger info; null within an epoch. @param {LedgerInfo} info @returns {EpochEnd | null} */
export function endOf({ epoch, timestampUs, next, bytes }) {
  if (!next) return null;
  // the fields of a ledger info without round, block id and consensus data, which are not part of an end
  const info = bytes.subarray(48, bytes.length - 32);
  return { epoch, timestampUs, next, bytes: concat(bytes.subarray(0, 8), info) };
}

/** Signed bytes. @param {LedgerInfo} info */
export const signedBytes = ({ bytes }) => concat(LEDGER_INFO_SEED, bytes);

/** Hash of the waypoint. @param {EpochEnd} end */
export const waypoint = ({ bytes }) => sha3(WAYPOINT_SEED, bytes);

/** @param {Uint8Array} left @param {Uint8Array} right */
const node = (left, right) => sha3(NODE_SEED, left, right);

/** Root from a node and its siblings upward; null for a tree that is too deep, or too flat for the index.
 * @param {Uint8Array} leaf @param {bigint} index @param {Uint8Array[]} siblings @returns {Uint8Array | null} */
export function rootOfPath(leaf, index, siblings) {
  if (siblings.length > DEPTH_MAX || index >> BigInt(siblings.length) !== 0n) return null;
  return siblings.reduce((below, sibling, height) =>
    (index >> BigInt(height)) & 1n ? node(sibling, below) : node(below, sibling), leaf);
}

/** Root of an accumulator of `count` leaves, by the roots of its perfect subtrees, the highest first; null where their
 * number is not that of the bits of `count`. @param {bigint} count @param {Uint8Array[]} roots
 * @returns {Uint8Array | null} */
export function rootOfFrozen(count, roots) {
  const bits = count.toString(2);
  const isWhole = count > 0n && bits.replaceAll("0", "").length === roots.length;
  if (!isWhole || bits.length > DEPTH_MAX) return null;
  const left = [...roots];
  let root = /** @type {Uint8Array} */ (left.pop());
  let way = bits.replace(/10*$/, "");
  // the lowest is a left child, unless it is all there is
  if (way !== "") root = node(root, PLACEHOLDER);
  for (; way !== ""; way = way.slice(0, -1)) {
    const sibling = way.endsWith("1") ? left.pop() : undefined;
    root = sibling ? node(sibling, root) : node(root, PLACEHOLDER);
  }
  return root;
}
