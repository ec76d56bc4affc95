// @ts-check
// Levels 1 and 2 of Tron: Protobuf headers and transactions, and the tree of whole transactions.
// docs/protocol/tron.md.

import { concat, sha256, u64 } from "../hash.js";
import { Fault, Reader, match, need, needValue } from "../reader.js";
import { checkShape, indexOf, pathTo, peakRoot, rootOf } from "./edge.js";
import { bindsAll, shownEntry } from "./shown.js";

const HEADER_BYTES_MAX = 4096;
const TRANSACTION_BYTES_MAX = 2001000;
const TX_COUNT_MAX = 29000;
const DEPTH_MAX = 100;
const ZERO = new Uint8Array(32);

/** @typedef {import("./index.js").Subject} Subject */
/** @typedef {import("./index.js").Header & { number: bigint, timestampMs: bigint, parentHash: Uint8Array,
 *   txTrieRoot: Uint8Array, witnessAddress: Uint8Array, version: bigint }} Header */
/** A whole transaction, and its siblings from the leaf upward.
 * @typedef {{ leaf: Uint8Array, siblings: Uint8Array[] }} Branch */
/** The transaction (for an absence: the last one; null in a block without any), and the first leaves of the perfect
 * subtrees left of it. @typedef {{ txCount: number, transaction: Branch | null, peaks: Branch[] }} Entry */

/** A field's value: a number, bytes, or null for a kind that is not read. @typedef {bigint | Uint8Array | null} Value */

/** @param {Reader} reader */
function readTag(reader) {
  const tag = reader.varint();
  need(tag < 2n ** 32n && tag >= 8n, "a malformed tag");
  return { number: Number(tag >> 3n), type: Number(tag & 7n) };
}

/** @param {Reader} reader @param {number} number @param {number} type @returns {Value} */
function readValue(reader, number, type) {
  if (type === 0) return reader.varint();
  if (type === 2) return reader.counted();
  if (type === 1) reader.bytes(8);
  else if (type === 5) reader.bytes(4);
  else if (type === 3) skipGroup(reader, number);
  else throw new Fault("a field of an unknown kind");
  return null;
}

/** @param {Reader} reader @param {number} outer */
function skipGroup(reader, outer) {
  const open = [outer];
  while (open.length > 0) {
    const { number, type } = readTag(reader);
    if (type === 3) {
      need(open.length < DEPTH_MAX, "groups are nested too deep");
      open.push(number);
    } else if (type === 4) {
      need(open.pop() === number, "a group ends that did not begin");
    } else {
      readValue(reader, number, type);
    }
  }
}

/** Reads a message whole, one field after the other. @param {Uint8Array} bytes @param {string} what
 * @param {(number: number, value: Value) => void} read */
function eachField(bytes, what, read) {
  const reader = new Reader(bytes, what);
  while (reader.left > 0) {
    const { number, type } = readTag(reader);
    read(number, readValue(reader, number, type));
  }
}

/** Fields of a message in their order, read whole. @param {Uint8Array} bytes @param {string} what
 * @returns {{ number: number, value: Value }[]} */
export function readFields(bytes, what) {
  /** @type {{ number: number, value: Value }[]} */
  const fields = [];
  eachField(bytes, what, (number, value) => fields.push({ number, value }));
  return fields;
}

/** @param {number} _ @param {Uint8Array} bytes @returns {Header} */
export function readHeader(_, bytes) {
  need(bytes.length <= HEADER_BYTES_MAX, "the header is too long");
  /** @type {Map<number, Value>} */
  const read = new Map();
  for (const { number, value } of readFields(bytes, "header")) {
    if (![1, 2, 3, 7, 9, 10].includes(number)) continue;
    need(!read.has(number), `field ${number} occurs twice`);
    read.set(number, value);
  }
  /** @param {number} number @param {bigint} least @param {bigint} below */
  const integer = (number, least, below) => {
    const value = read.get(number);
    if (value === undefined) return 0n;
    if (typeof value !== "bigint" || value < least || value >= below) throw new Fault(`field ${number} is malformed`);
    return value;
  };
  /** @param {number} number */
  const bytesOf = (number) => {
    const value = read.get(number) ?? (read.has(number) ? 0n : new Uint8Array(0));
    if (typeof value === "bigint") throw new Fault(`field ${number} is malformed`);
    return value;
  };
  const [timestampMs, number] = [integer(1, 1n, 2n ** 63n), integer(7, 1n, 2n ** 63n)];
  const [txTrieRoot, parentHash] = [bytesOf(2), bytesOf(3)];
  need(txTrieRoot.length === 32 && parentHash.length === 32, "txTrieRoot or parentHash is missing or malformed");
  return {
    hash: concat(u64(number), sha256(bytes).subarray(8)), number, timestamp: timestampMs / 1000n, timestampMs,
    parentHash, txTrieRoot, witnessAddress: bytesOf(9), version: integer(10, 0n, 2n ** 64n),
  };
}

/** @param {Uint8Array} leaf */
function checkLeaf(leaf) {
  need(leaf.length !== 64, "a transaction of 64 bytes could be an inner node");
  need(leaf.length <= TRANSACTION_BYTES_MAX, "the transaction is too long");
}

/** Reads a transaction whole: its signed part, and `contractRet` of the first `ret`, null without one.
 * @param {Uint8Array} leaf @returns {{ rawData: Uint8Array, contractRet: bigint | null }} */
export function readTransaction(leaf) {
  checkLeaf(leaf);
  let [rawData, ret] = [/** @type {Uint8Array | null} */ (null), /** @type {Uint8Array | null} */ (null)];
  eachField(leaf, "transaction", (number, value) => {
    if (number !== 1 && number !== 5) return;
    if (!(value instanceof Uint8Array)) throw new Fault("raw_data or ret is no message");
    need(number !== 1 || rawData === null, "a transaction has one raw_data");
    if (number === 1) rawData = value;
    else ret ??= value;
  });
  return { rawData: needValue(rawData, "raw_data is missing"), contractRet: ret && readResult(ret) };
}

/** @param {Uint8Array} ret @returns {bigint} */
function readResult(ret) {
  /** @type {bigint | null} */
  let result = null;
  eachField(ret, "ret", (number, value) => {
    if (number !== 3) return;
    if (result !== null || typeof value !== "bigint") throw new Fault("contractRet is malformed");
    result = value;
  });
  return result ?? 0n;
}

/** @param {Uint8Array} left @param {Uint8Array} right */
const join = (left, right) => sha256(left, right);

/** @param {Entry} entry @param {Subject} subject @param {Header | null} header */
function checkEntry({ txCount, transaction, peaks }, subject, header) {
  need(txCount <= TX_COUNT_MAX, "no block has so many transactions");
  const index = indexOf(subject, txCount);
  if (index === null || transaction === null) {
    need(index === null && transaction === null && peaks.length === 0, "a branch is missing, or there too many");
    match(ZERO, header?.txTrieRoot ?? ZERO, "root of the transaction tree");
    return shownEntry({ transactionsRoot: ZERO, txCount: 0 });
  }
  const path = pathTo(index, txCount);
  checkShape(path, transaction.siblings, peaks);
  peaks.forEach((peak) => checkLeaf(peak.leaf));
  const read = readTransaction(transaction.leaf);
  const roots = peaks.map((peak) => peakRoot(sha256(peak.leaf), peak.siblings, join));
  const got = rootOf(path, sha256(transaction.leaf), transaction.siblings, roots, join);
  match(got, header?.txTrieRoot ?? got, "root of the transaction tree");
  const shown = shownEntry({ transactionsRoot: got, txCount: index === txCount - 1 ? txCount : null });
  if (subject.kind !== "absence") shown.transaction = { hash: sha256(read.rawData), raw: transaction.leaf };
  return shown;
}

/** @type {import("./index.js").Ledger<Entry, Header>} */
export const tron = {
  name: "tron",
  rules: [0x0401],
  bindsNumber: true,
  boundIndexes: bindsAll,
  showsBlock: () => true,
  readEntry(reader, subject, parts) {
    need(!parts.receipt, "Tron has no receipts that are proven");
    const txCount = reader.number(4);
    need(txCount <= TX_COUNT_MAX, "no block has so many transactions");
    const index = indexOf(subject, txCount);
    if (index === null) return { txCount, transaction: null, peaks: [] };
    const path = pathTo(index, txCount);
    /** @param {number} count */
    const branch = (count) => ({ leaf: reader.long(), siblings: reader.hashes(count) });
    const transaction = branch(path.siblingCount);
    return { txCount, transaction, peaks: path.peaks.map(branch) };
  },
  checkParts(_, { kind }) {
    need(kind !== "event", "no header of Tron commits to events");
  },
  readHeader,
  checkChain() {},
  checkEntry,
};
