// @ts-check
// Levels 1 and 2 of Cosmos: CometBFT headers, and the tree of transaction hashes. docs/protocol/cosmos.md.

import { concat, fromUtf8, sha256, toHex, utf8 } from "../hash.js";
import { Fault, Reader, match, need } from "../reader.js";
import { checkShape, indexOf, pathTo, peakRoot, rootOf } from "./edge.js";
import { bindsAll, shownEntry } from "./shown.js";

const HEADER_BYTES_MAX = 1024;
const CHAIN_ID_BYTES_MAX = 50;
const SECONDS_MAX = 253402300799n;
const TX_COUNT_MAX = 2 ** 20;
const TRANSACTION_BYTES_MAX = 8 * 2 ** 20;

/** @typedef {import("./index.js").Subject} Subject */
/** @typedef {{ hash: Uint8Array, partCount: bigint, partsHash: Uint8Array }} BlockId */
/** A header; `fields` has 6 to 14, by their names.
 * @typedef {import("./index.js").Header & { number: bigint, timestamp: bigint, parentHash: Uint8Array,
 *   chainId: string, nanos: bigint, version: { block: bigint, app: bigint }, lastBlockId: BlockId | null,
 *   dataHash: Uint8Array, fields: Record<string, Uint8Array> }} Header */
/** The transaction (for an absence: the last one; null in a block without any), and the hashes of the first
 * transactions of the perfect subtrees left of it.
 * @typedef {{ txCount: number, transaction: { raw: Uint8Array, siblings: Uint8Array[] } | null,
 *   peaks: { transactionHash: Uint8Array, siblings: Uint8Array[] }[] }} Entry */

/** Fields 6 to 14, and their lengths; the application hash alone has any. @type {[string, number | null][]} */
const BYTE_FIELDS = [["lastCommitHash", 32], ["dataHash", 32], ["validatorsHash", 32], ["nextValidatorsHash", 32],
  ["consensusHash", 32], ["appHash", null], ["lastResultsHash", 32], ["evidenceHash", 32], ["proposerAddress", 20]];

/** Fields in their one form: in order, none empty, numbers in the shortest form. */
class Fields extends Reader {
  /** @param {number} key */
  isNext(key) {
    const isIt = this.left > 0 && this.all[this.at] === key;
    if (isIt) this.at += 1;
    return isIt;
  }

  /** A number, 0 where it is left out. @param {number} number @returns {bigint} */
  integer(number) {
    if (!this.isNext(number << 3)) return 0n;
    const value = this.varint();
    need(value > 0n, "a number of 0 is written");
    return value;
  }

  /** Bytes that are there even where they are empty. @param {number} number @returns {Uint8Array} */
  message(number) {
    need(this.isNext((number << 3) | 2), `field ${number} of the ${this.what} is missing`);
    return this.counted();
  }

  /** Bytes, left out where they are empty. @param {number} number @param {number | null} length */
  field(number, length) {
    const isThere = this.left > 0 && this.all[this.at] === ((number << 3) | 2);
    const bytes = isThere ? this.message(number) : new Uint8Array(0);
    need(!isThere || bytes.length > 0, `field ${number} of the ${this.what} is empty`);
    need(length === null || bytes.length === length, `field ${number} of the ${this.what} has another length`);
    return bytes;
  }
}

/** Root of the tree of RFC 6962 over leaf hashes, at least one. @param {Uint8Array[]} leaves @returns {Uint8Array} */
function treeRoot(leaves) {
  let row = leaves;
  while (row.length > 1) {
    const below = row;
    row = Array.from({ length: Math.ceil(below.length / 2) }, (_, at) =>
      (2 * at + 1 < below.length ? join(below[2 * at], below[2 * at + 1]) : below[2 * at]));
  }
  return row[0];
}

/** @param {Uint8Array} left @param {Uint8Array} right */
const join = (left, right) => sha256([1], left, right);

/** @param {Uint8Array} bytes @returns {BlockId | null} */
function readBlockId(bytes) {
  const fields = new Fields(bytes, "last_block_id");
  const [hash, parts] = [fields.field(1, null), fields.message(2)];
  fields.end();
  if (hash.length === 0 && parts.length === 0) return null;
  const inner = new Fields(parts, "last_block_id");
  const [partCount, partsHash] = [inner.integer(1), inner.field(2, 32)];
  inner.end();
  need(hash.length === 32 && partCount > 0n && partCount < 2n ** 32n, "a part of last_block_id is missing");
  return { hash, partCount, partsHash };
}

/** Two numbers of a message. @param {Uint8Array} bytes @param {string} what */
function readPair(bytes, what) {
  const fields = new Fields(bytes, what);
  const pair = [fields.integer(1), fields.integer(2)];
  fields.end();
  return pair;
}

/** Reads a header whole, in its one form. @param {number} _ @param {Uint8Array} bytes @returns {Header} */
export function readHeader(_, bytes) {
  need(bytes.length <= HEADER_BYTES_MAX, "the header is too long");
  const reader = new Fields(bytes, "header");
  /** Bytes of a field, key and length included. @param {() => any} read */
  const written = (read) => {
    const begin = reader.at;
    return [read(), reader.all.subarray(begin, reader.at)];
  };
  const version = reader.message(1);
  const id = reader.field(2, null);
  const [number, height] = written(() => reader.integer(3));
  const [time, lastBlock] = [reader.message(4), reader.message(5)];
  const [block, app] = readPair(version, "version");
  const [timestamp, nanos] = readPair(time, "time");
  const lastBlockId = readBlockId(lastBlock);
  /** @type {Record<string, Uint8Array>} */
  const fields = {};
  BYTE_FIELDS.forEach(([name, length], at) => (fields[name] = reader.field(6 + at, length)));
  reader.end();
  const chainId = fromUtf8(id);
  if (chainId === null || id.length === 0 || id.length > CHAIN_ID_BYTES_MAX) throw new Fault("chain_id is malformed");
  need(number > 0n && number < 2n ** 63n, "height is malformed");
  need(timestamp <= SECONDS_MAX && nanos < 1000000000n, "time is malformed");
  // each field as a message of its own: its number becomes 1
  const one = height.length > 0 ? concat([1 << 3], height.subarray(1)) : height;
  const leaves = [version, inFieldOne(id), one, time, lastBlock, ...Object.values(fields).map(inFieldOne)];
  return {
    hash: treeRoot(leaves.map((leaf) => sha256([0], leaf))), number, timestamp, nanos,
    parentHash: lastBlockId?.hash ?? new Uint8Array(32), chainId, version: { block, app }, lastBlockId,
    dataHash: fields.dataHash, fields,
  };
}

/** @param {Uint8Array} bytes @returns {Uint8Array} */
function inFieldOne(bytes) {
  if (bytes.length === 0) return bytes;
  const length = bytes.length < 0x80 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return concat([(1 << 3) | 2], length, bytes);
}

/** Whether a CAIP-2 name is that of a chain id (CAIP-5). @param {string} caip2 @param {string} chainId */
export function namesChain(caip2, chainId) {
  const at = caip2.indexOf(":");
  if (at < 0) return false;
  const reference = caip2.slice(at + 1);
  if (!reference.startsWith("hashed-")) return reference === chainId;
  return toHex(sha256(utf8(chainId))).slice(2, 18) === reference.slice(7);
}

/** @param {Uint8Array} hash of a transaction */
const leafOf = (hash) => sha256([0], hash);

/** @param {Entry} entry @param {Subject} subject @param {Header | null} header */
function checkEntry({ txCount, transaction, peaks }, subject, header) {
  need(txCount <= TX_COUNT_MAX, "no block has so many transactions");
  const index = indexOf(subject, txCount);
  if (index === null || transaction === null) {
    need(index === null && transaction === null && peaks.length === 0, "a branch is missing, or there too many");
    const empty = sha256([]);
    match(empty, header?.dataHash ?? empty, "root of the transaction tree");
    return shownEntry({ transactionsRoot: empty, txCount: 0 });
  }
  const path = pathTo(index, txCount);
  checkShape(path, transaction.siblings, peaks);
  need(transaction.raw.length <= TRANSACTION_BYTES_MAX, "the transaction is too long");
  const roots = peaks.map((peak) => peakRoot(leafOf(peak.transactionHash), peak.siblings, join));
  const hash = sha256(transaction.raw);
  const got = rootOf(path, leafOf(hash), transaction.siblings, roots, join);
  match(got, header?.dataHash ?? got, "root of the transaction tree");
  const shown = shownEntry({ transactionsRoot: got, txCount: index === txCount - 1 ? txCount : null });
  if (subject.kind !== "absence") shown.transaction = { hash, raw: transaction.raw };
  return shown;
}

/** @type {import("./index.js").Ledger<Entry, Header>} */
export const cosmos = {
  name: "cosmos",
  rules: [0x0801],
  bindsNumber: true,
  boundIndexes: bindsAll,
  showsBlock: () => true,
  readEntry(reader, subject, parts) {
    need(!parts.receipt, "Cosmos has no receipts that are proven");
    const txCount = reader.number(4);
    need(txCount <= TX_COUNT_MAX, "no block has so many transactions");
    const index = indexOf(subject, txCount);
    if (index === null) {
      need(txCount === 0, "a count without a transaction");
      return { txCount, transaction: null, peaks: [] };
    }
    const path = pathTo(index, txCount);
    const transaction = { raw: reader.long(TRANSACTION_BYTES_MAX), siblings: reader.hashes(path.siblingCount) };
    const peaks = path.peaks.map((height) => ({ transactionHash: reader.hash(), siblings: reader.hashes(height) }));
    return { txCount, transaction, peaks };
  },
  checkParts(_, { kind }) {
    need(kind !== "event", "no header of Cosmos commits to events");
  },
  readHeader,
  checkChain({ chainId }, caip2) {
    need(namesChain(caip2, chainId), `the header is of the chain ${chainId}`);
  },
  checkEntry,
};
