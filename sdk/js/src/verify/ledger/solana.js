// @ts-check
// Levels 1 and 2 of the Solana family: a chain of SHA-256 hashes in which transactions are recorded.
// docs/protocol/solana.md.

import * as ed25519 from "../ed25519.js";
import { sha256, sha256Chain } from "../hash.js";
import { Fault, Reader, match, need } from "../reader.js";
import * as pairs from "./pairs.js";
import { shownEntry } from "./shown.js";

const [RULE, RULE_HEADER] = [0x0201, 0x0202];
/** The first height at which rule 0201 is read as 0202. */
const WINDOW_END = 418629925;
const TRANSACTION_BYTES_MAX = 1232;
const SIGNATURES_MAX = 65536;
const RECORDS_MAX = 32768;
const HASHES_MAX = 4000000;
const MAINNET = 200;
const EPOCH_SLOTS = 432000;
/** Epochs of the main network, and the hashes of a slot from then on. */
const SLOT_HASHES = [[0, 800000], [587, 1120000], [591, 1760000], [592, 3040000], [595, 3680000], [597, HASHES_MAX]];

/** @typedef {import("./index.js").Subject} Subject */
/** @typedef {import("./index.js").Header} Header */
/** The hash before the record, the transaction as signed, its signatures among those of the record, and the later
 * records. @typedef {{ before: Uint8Array, transaction: Uint8Array, signatureIndex: number, signatureCount: number,
 *   paths: Uint8Array[][], records: { numHashes: number, mixin: Uint8Array }[], tailHashes: number }} Entry */
/** @typedef {{ programIndex: number, accountIndexes: Uint8Array, data: Uint8Array }} Instruction */
/** @typedef {{ table: Uint8Array, writableIndexes: Uint8Array, readonlyIndexes: Uint8Array }} Lookup */
/** @typedef {{ signatures: Uint8Array[], version: number | null, readonlySigned: number, readonlyUnsigned: number,
 *   accountKeys: Uint8Array[], recentBlockhash: Uint8Array, instructions: Instruction[], lookups: Lookup[] }} Transaction */

/** The rule in force: rule 0201 ends at a height, whatever a registry says. @param {number} code @param {number} number */
export const ruleAt = (code, number) => (code === RULE && number >= WINDOW_END ? RULE_HEADER : code);

// --- the transaction -----------------------------------------------------------------------------

/** A count of one to three bytes, seven bits each, in the shortest form, at most 65,535. @param {Reader} reader */
function readCount(reader) {
  let value = 0;
  for (let place = 0; place < 3; place++) {
    const byte = reader.u8();
    value += (byte & 0x7f) * 2 ** (7 * place);
    if (byte < 0x80) {
      need((byte !== 0 || place === 0) && value < 2 ** 16, "a count in a longer form, or too large");
      return value;
    }
  }
  throw new Fault("a count in a longer form, or too large");
}

/** @param {Reader} reader */
const readShortBytes = (reader) => reader.bytes(readCount(reader));

/** @template T @param {Reader} reader @param {() => T} item @returns {T[]} */
function readList(reader, item) {
  const items = [];
  for (let left = readCount(reader); left > 0; left--) items.push(item());
  return items;
}

/** The signatures in front, at least one. @param {Reader} reader */
function readSignatures(reader) {
  need(reader.all.length <= TRANSACTION_BYTES_MAX, "the transaction is too long");
  const signatures = readList(reader, () => reader.bytes(64));
  need(signatures.length > 0, "the transaction has no signature");
  return signatures;
}

/** Reads a transaction whole. @param {Uint8Array} raw @returns {Transaction & { message: Uint8Array }} */
export function readTransaction(raw) {
  const reader = new Reader(raw, "transaction");
  const signatures = readSignatures(reader);
  const message = raw.subarray(reader.at);
  const first = reader.u8();
  const version = first < 0x80 ? null : first - 0x80;
  const required = version === null ? first : reader.u8();
  need(version === null || version === 0, "a message of another version than 0");
  need(required === signatures.length, "signatures are more or fewer than the message asks for");
  const [readonlySigned, readonlyUnsigned] = [reader.u8(), reader.u8()];
  const accountKeys = readList(reader, () => reader.hash());
  need(accountKeys.length >= signatures.length, "there are fewer keys than signatures");
  const recentBlockhash = reader.hash();
  const instructions = readList(reader, () =>
    ({ programIndex: reader.u8(), accountIndexes: readShortBytes(reader), data: readShortBytes(reader) }));
  const lookups = version === null ? [] : readList(reader, () =>
    ({ table: reader.hash(), writableIndexes: readShortBytes(reader), readonlyIndexes: readShortBytes(reader) }));
  reader.end();
  return { signatures, version, readonlySigned, readonlyUnsigned, accountKeys, recentBlockhash, instructions, lookups,
    message };
}

/** @param {Uint8Array} raw */
function verifyTransaction(raw) {
  const { message, ...transaction } = readTransaction(raw);
  transaction.signatures.forEach((signature, at) =>
    need(ed25519.verify(transaction.accountKeys[at], message, signature), `signature ${at} does not hold`));
  return transaction;
}

// --- the record ----------------------------------------------------------------------------------

/** Siblings of a path. @param {number} index @param {number} count */
export function siblingCount(index, count) {
  need(count > 0 && count <= SIGNATURES_MAX, "no record has so many signatures, or none");
  return pairs.siblingCount(index, count);
}

/** Leaf of a signature; of the first, the transaction hash. @param {Uint8Array} signature */
export const leafOf = (signature) => sha256([0], signature);

/** Hashes from the record, itself included, to the blockhash. @param {Entry} entry */
export const hashCount = ({ records, tailHashes }) =>
  records.reduce((sum, record) => sum + record.numHashes, 1 + tailHashes);

/** @param {Uint8Array} left @param {Uint8Array} right */
const join = (left, right) => sha256([1], left, right);

/** @param {Entry} entry @param {Transaction} transaction */
function blockhash(entry, { signatures }) {
  const { before, signatureIndex, signatureCount, paths, records, tailHashes } = entry;
  need(records.length <= RECORDS_MAX && records.every((record) => record.numHashes > 0), "a record of no hashes");
  need(hashCount(entry) <= HASHES_MAX, "more hashes than a slot has");
  need(paths.length === signatures.length, "there is not one path for each signature");
  need(signatureCount <= SIGNATURES_MAX, "no record has so many signatures");
  const roots = signatures.map((signature, at) =>
    pairs.rootOf(leafOf(signature), signatureIndex + at, signatureCount, paths[at], join));
  roots.forEach((root) => match(root, roots[0], "root over the signatures"));
  let hash = sha256(before, roots[0]);
  for (const { numHashes, mixin } of records) hash = sha256(sha256Chain(hash, numHashes - 1), mixin);
  return sha256Chain(hash, tailHashes);
}

/** @param {Entry} entry @param {Subject} _ @param {Header | null} header @param {number} rule */
function checkEntry(entry, _, header, rule) {
  need(rule === RULE, "at this height no proof shows which block a transaction is of");
  const transaction = verifyTransaction(entry.transaction);
  const got = blockhash(entry, transaction);
  match(got, header?.hash ?? got, "blockhash");
  return shownEntry({
    transactionsRoot: got, transaction: { hash: leafOf(transaction.signatures[0]), raw: entry.transaction } });
}

/** @type {import("./index.js").Ledger<Entry, Header>} */
export const solana = {
  name: "solana",
  rules: [RULE, RULE_HEADER],
  bindsNumber: false,
  boundIndexes: () => ({ txIndex: false, logIndex: false }),
  showsBlock(entry, { family, id, number, origin }) {
    if (family !== 2 || id !== MAINNET || origin.startsWith("simulated/")) return false;
    const begun = SLOT_HASHES.filter(([epoch]) => epoch * EPOCH_SLOTS <= number);
    return hashCount(entry) <= begun[begun.length - 1][1];
  },
  readEntry(reader, { kind }, parts) {
    need(!parts.receipt && kind === "transaction", "a proof of this ledger is of a transaction");
    const [before, transaction] = [reader.hash(), reader.long(TRANSACTION_BYTES_MAX)];
    const [signatureIndex, signatureCount] = [reader.number(4), reader.number(4)];
    const signatures = readSignatures(new Reader(transaction, "transaction"));
    const paths = signatures.map((_, at) => reader.hashes(siblingCount(signatureIndex + at, signatureCount)));
    const recordCount = reader.number(4);
    need(recordCount <= RECORDS_MAX, "too many records");
    const records = Array.from({ length: recordCount }, () => ({ numHashes: reader.number(4), mixin: reader.hash() }));
    return { before, transaction, signatureIndex, signatureCount, paths, records, tailHashes: reader.number(4) };
  },
  checkParts(_, { kind }) {
    need(kind === "transaction", "a proof of this ledger is of a transaction");
  },
  readHeader(_, bytes) {
    need(bytes.length === 32, "a header is a blockhash of 32 bytes");
    return { hash: bytes, number: null, timestamp: null, parentHash: null };
  },
  checkChain() {},
  checkEntry,
};
