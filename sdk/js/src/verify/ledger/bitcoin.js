// @ts-check
// Levels 1 and 2 of the Bitcoin family: headers of 80 bytes, and the tree of transaction hashes.
// docs/protocol/bitcoin.md.

import { sha256d } from "../hash.js";
import { Reader, match, need } from "../reader.js";
import * as pairs from "./pairs.js";
import { bindsAll, shownEntry } from "./shown.js";

const TX_COUNT_MAX = 16666;
const TX_BYTES_MAX = 1000000;
const SATOSHI_MAX = 2100000000000000n;

/** @typedef {import("./index.js").Subject} Subject */
/** @typedef {import("./index.js").Header & { merkleRoot: Uint8Array, fields: { version: number, bits: number,
 *   nonce: number } }} Header */
/** @typedef {{ previousHash: Uint8Array, previousIndex: number, script: Uint8Array, sequence: number }} Input */
/** @typedef {{ satoshi: bigint, script: Uint8Array }} Output */
/** @typedef {{ version: number, inputs: Input[], outputs: Output[], lockTime: number, isCoinbase: boolean }} Transaction */
/** A transaction without its witness, and its siblings from the leaf upward.
 * @typedef {{ leaf: Uint8Array, siblings: Uint8Array[] }} Branch */
/** The branch of the transaction (for an absence: of the last one), and that of the coinbase, null where the first is
 * the coinbase itself. @typedef {{ count: number, own: Branch, coinbase: Branch | null }} Entry */

/** @param {number} count */
const needCount = (count) => need(count > 0 && count <= TX_COUNT_MAX, "no block has so many transactions, or none");

/** Siblings of a branch, as index and count give them. @param {number} index @param {number} count */
export function siblingCount(index, count) {
  needCount(count);
  return pairs.siblingCount(index, count);
}

/** The root that a transaction and its branch lead to.
 * @param {Uint8Array} leaf @param {number} index @param {number} count @param {Uint8Array[]} siblings */
export function rootOf(leaf, index, count, siblings) {
  needCount(count);
  return pairs.rootOf(hashOf(leaf), index, count, siblings, sha256d);
}

/** Transaction hash, in the order of bytes in which it is hashed. @param {Uint8Array} leaf */
export const hashOf = (leaf) => sha256d(leaf);

/** Reads a header; its sha256d is the block hash. It names no number.
 * @param {number} _ @param {Uint8Array} bytes @returns {Header} */
export function readHeader(_, bytes) {
  need(bytes.length === 80, "a header has 80 bytes");
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return {
    hash: sha256d(bytes), number: null, timestamp: BigInt(view.getUint32(68, true)), parentHash: bytes.subarray(4, 36),
    merkleRoot: bytes.subarray(36, 68),
    fields: { version: view.getInt32(0, true), bits: view.getUint32(72, true), nonce: view.getUint32(76, true) },
  };
}

/** A count or length in the shortest CompactSize. @param {Reader} reader @returns {number} */
function readSize(reader) {
  const first = reader.u8();
  if (first < 0xfd) return first;
  const [length, floor] = [[2, 0xfd], [4, 2 ** 16], [8, 2 ** 32]][first - 0xfd];
  const value = reader.bytes(length).reduceRight((all, byte) => all * 256 + byte, 0);
  need(value >= floor, "a count in a longer form");
  return value;
}

/** @param {Reader} reader @param {number} bytesMin bytes of the shortest item */
function readCount(reader, bytesMin) {
  const count = readSize(reader);
  need(count > 0 && count * bytesMin <= reader.left, "a count out of bounds");
  return count;
}

/** @param {Reader} reader @returns {number} */
const readU32 = (reader) => reader.bytes(4).reduceRight((all, byte) => all * 256 + byte, 0);

/** Reads a transaction without its witness, whole. @param {Uint8Array} leaf @returns {Transaction} */
export function readTransaction(leaf) {
  need(leaf.length !== 64, "a transaction of 64 bytes could be an inner node");
  need(leaf.length <= TX_BYTES_MAX, "the transaction is too long");
  const reader = new Reader(leaf, "transaction");
  const version = readU32(reader) | 0;
  const inputs = Array.from({ length: readCount(reader, 41) }, () => {
    const [previousHash, previousIndex] = [reader.hash(), readU32(reader)];
    return { previousHash, previousIndex, script: reader.bytes(readSize(reader)), sequence: readU32(reader) };
  });
  const outputs = Array.from({ length: readCount(reader, 9) }, () => {
    const satoshi = reader.u64le();
    need(satoshi <= SATOSHI_MAX, "an output of more than there is");
    return { satoshi, script: reader.bytes(readSize(reader)) };
  });
  const lockTime = readU32(reader);
  reader.end();
  const [{ previousHash, previousIndex, script }] = inputs;
  const spendsNothing = previousIndex === 2 ** 32 - 1 && previousHash.every((byte) => byte === 0);
  const isCoinbase = inputs.length === 1 && spendsNothing && script.length >= 2 && script.length <= 100;
  return { version, inputs, outputs, lockTime, isCoinbase };
}

/** @param {Entry} entry @param {Subject} subject @param {Header | null} header */
function checkEntry({ count, own, coinbase }, { kind, txIndex, logIndex }, header) {
  const isAbsence = kind === "absence";
  need(isAbsence ? txIndex >= count : txIndex < count, "the count is another");
  const index = isAbsence ? count - 1 : txIndex;
  let root = header?.merkleRoot ?? null;
  /** @param {Branch} branch @param {number} at */
  const read = (branch, at) => {
    const transaction = readTransaction(branch.leaf);
    const got = rootOf(branch.leaf, at, count, branch.siblings);
    root ??= got;
    match(got, root, "root of the transaction tree");
    return transaction;
  };
  const transaction = read(own, index);
  need((index === 0) === (coinbase === null), "the branch of the coinbase is missing, or there twice");
  const first = coinbase ? read(coinbase, 0) : transaction;
  need(first.isCoinbase, "the first transaction is no coinbase");
  const shown = shownEntry({ transactionsRoot: root, txCount: index === count - 1 ? count : null });
  if (isAbsence) return shown;
  shown.transaction = { hash: hashOf(own.leaf), raw: own.leaf };
  if (kind === "event") {
    const { outputs } = transaction;
    need(logIndex < outputs.length, "there is no such output");
    shown.event = { kind: "output", output: outputs[logIndex], outputCount: outputs.length };
  }
  return shown;
}

/** @type {import("./index.js").Ledger<Entry, Header>} */
export const bitcoin = {
  name: "bitcoin",
  rules: [0x0101],
  bindsNumber: false,
  boundIndexes: bindsAll,
  showsBlock: () => true,
  readEntry(reader, subject, parts) {
    need(!parts.receipt, "Bitcoin has no receipts");
    const count = reader.number(4);
    const index = subject.kind === "absence" ? count - 1 : subject.txIndex;
    need(subject.kind !== "block" && index >= 0, "a branch of no transaction");
    /** @param {number} place @returns {Branch} */
    const branch = (place) => {
      const leaf = reader.long();
      return { leaf, siblings: reader.hashes(siblingCount(place, count)) };
    };
    const own = branch(index);
    return { count, own, coinbase: index === 0 ? null : branch(0) };
  },
  checkParts() {},
  readHeader,
  checkChain() {},
  checkEntry,
};
