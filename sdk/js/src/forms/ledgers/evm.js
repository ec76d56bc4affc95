// @ts-check
// Levels 1 and 2 of the EVM family in JSON, with the names of Ethereum's nodes.

import { walk } from "../../verify/evm.js";
import { concat, keccak256, toHex } from "../../verify/hash.js";
import { need } from "../fault.js";
import { long } from "../encode.js";
import { bytesOf, itemsOf, numberOf, readList } from "../rlp.js";
import { transactionFields } from "./evm-transaction.js";

/** @typedef {import("../answer.js").Context} Context */
/** @typedef {import("../compare.js").Member} Member */
/** @typedef {{ address: Uint8Array, topics: Uint8Array[], data: Uint8Array }} Log */

const TRIE_NODES_MAX = 20;
/** @param {number | bigint} value */
export const quantity = (value) => `0x${value.toString(16)}`;

// Fields of headers by rule: h a hash or bytes, q a number of 8 bytes, Q one of 32.
const FIRST = "parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty:Q number:q " +
  "gasLimit:q gasUsed:q timestamp:q extraData ";
const SEALED = `${FIRST}mixHash nonce `;
const CANCUN = "blobGasUsed:q excessBlobGas:q parentBeaconBlockRoot ";
/** @type {Record<number, string>} */
const HEADERS = {
  0x0001: `${SEALED}baseFeePerGas:q withdrawalsRoot ${CANCUN}requestsHash blockAccessListHash slotNumber:q`,
  0x0002: `${FIRST}step:q signature baseFeePerGas:q`,
  0x0003: "parentHash miner stateRoot transactionsRoot receiptsRoot logsBloom number:q gasUsed:q timestamp:q extraData",
  0x0004: `${SEALED}baseFeePerGas:q`,
  0x0005: `${SEALED}extDataHash baseFeePerGas:q extDataGasUsed:q blockGasCost:q ${CANCUN}timestampMilliseconds:q ` +
    "minDelayExcess:q targetExponent:q minPriceExponent:q settledHeight:q settledGasUnix:q settledGasNumerator:q settledExcess:q",
  0x0006: `${SEALED}baseFeePerGas:q withdrawalsRoot blobGasUsed:q excessBlobGas:q`,
};

/** A header that was checked, by the layout of its rule. @param {Uint8Array} bytes @param {Uint8Array} hash
 * @param {number} rule */
export function header(bytes, hash, rule) {
  /** @type {Record<string, string>} */
  const members = { hash: toHex(hash) };
  const fields = readList(bytes);
  (HEADERS[rule] ?? "").split(" ").slice(0, fields.length).forEach((field, at) => {
    const [name, kind] = field.split(":");
    members[name] = kind ? quantity(numberOf(fields[at], kind === "q" ? 8 : 32)) : toHex(bytesOf(fields[at]));
  });
  return members;
}

/** @param {Member} root */
export function parse(root) {
  const [transaction, receipt] = ["siblings", "receiptSiblings"].map((name) =>
    root.optional(name)?.byteStrings(TRIE_NODES_MAX) ?? null);
  /** @param {Uint8Array[] | null} nodes */
  const trie = (nodes) => (nodes ? concat([nodes.length], ...nodes.map(long)) : []);
  const bits = (transaction ? 1 : 0) + (receipt ? 2 : 0);
  return { transaction, receipt, file: { bits, bytes: concat(trie(transaction), trie(receipt)) }, broken: null };
}

/** A receipt that was checked. @param {Uint8Array} leaf @returns {{ members: any, logs: Log[] }} */
function readReceipt(leaf) {
  const type = leaf[0] < 0x80 ? leaf[0] : 0;
  const fields = readList(type ? leaf.subarray(1) : leaf);
  const status = bytesOf(fields[0]);
  const logs = itemsOf(fields[3]).map((log) => {
    const [address, topics, data] = itemsOf(log);
    return { address: bytesOf(address, 20), topics: itemsOf(topics).map((topic) => bytesOf(topic, 32)), data: bytesOf(data) };
  });
  const members = {
    type: quantity(type), cumulativeGasUsed: quantity(numberOf(fields[1], 8)), logsBloom: toHex(bytesOf(fields[2])),
    ...(status.length === 32 ? { root: toHex(status) } : { status: quantity(status.length) }),
    ...(type === 0x7e && fields.length === 6
      ? { depositNonce: quantity(numberOf(fields[4], 8)), depositReceiptVersion: quantity(numberOf(fields[5], 8)) } : {}),
    ...(type === 0x7b && fields.length === 5 ? { baseFee: quantity(numberOf(fields[4], 32)) } : {}),
  };
  return { members, logs };
}

/** @param {Log} log */
const logMembers = ({ address, topics, data }) =>
  ({ address: toHex(address), topics: topics.map(toHex), data: toHex(data) });

/** Leaves that a checked trie proof leads to; null for an absence. @param {any} own @param {Context} context */
function leaves(own, { subject }) {
  const leaf = (/** @type {Uint8Array[] | null} */ nodes) =>
    (nodes && subject.kind !== "absence" ? walk(keccak256(nodes[0]), subject.txIndex, nodes) : null);
  return { transaction: leaf(own.transaction), receipt: leaf(own.receipt) };
}

/** @param {any} own @param {Context} context */
export function entry(own, context) {
  const { number, subject, rule, header: block } = context;
  const roots = /** @type {any} */ (block.members);
  const { transaction, receipt } = leaves(own, context);
  const hash = transaction ? toHex(keccak256(transaction)) : undefined;
  const place = { blockHash: toHex(block.hash), blockNumber: quantity(number), transactionIndex: quantity(subject.txIndex) };
  const read = receipt ? readReceipt(receipt) : null;
  return {
    transactionsRoot: own.transaction ? roots.transactionsRoot : undefined,
    siblings: own.transaction?.map(toHex), transactionHash: hash,
    rawTransaction: transaction ? toHex(transaction) : undefined,
    transaction: transaction ? { ...transactionFields(transaction, rule), ...place } : undefined,
    receiptRoot: roots.receiptsRoot, receiptSiblings: own.receipt?.map(toHex),
    rawReceipt: receipt ? toHex(receipt) : undefined,
    receipt: read ? { ...read.members, logs: read.logs.map((log, at) => ({ ...logMembers(log), logIndex: quantity(at),
      removed: false, ...place, transactionHash: hash })) } : undefined,
  };
}

/** The three bits of an address or topic in a bloom. @param {Uint8Array} input */
export function bloomBits(input) {
  const hash = keccak256(input);
  return [0, 2, 4].map((at) => ((hash[at] << 8) | hash[at + 1]) & 0x7ff);
}

/** @param {Uint8Array} bloom @param {number} bit */
export const hasBit = (bloom, bit) => ((bloom[255 - (bit >> 3)] >> (bit & 7)) & 1) === 1;

/** @param {any} own @param {Context} context */
export function event(own, context) {
  const { receipt } = leaves(own, context);
  need(receipt, "there is no receipt");
  const log = readReceipt(receipt).logs[context.subject.logIndex];
  const bits = [log.address, ...log.topics].map(bloomBits);
  // the receipt's bloom is that of its logs, and the header's has every bit of it: both were checked
  return { event: { ...logMembers(log), logIndex: context.subject.logIndex }, bloom: { inReceipt: true, inHeader: true, bits } };
}

/** The leaf of a portable proof. @param {any} proof @param {Context} context */
export function leaf(proof, context) {
  const tries = proof.entry?.tries;
  if (!tries) return null;
  const { transaction, receipt } = leaves(tries, context);
  const shown = context.subject.kind === "event" ? receipt : transaction;
  return shown ? toHex(shown) : null;
}

/** @param {any} members of a header */
export const roots = ({ transactionsRoot, receiptsRoot }) => ({ transactionsRoot, receiptsRoot });

/** Whether positions and the count of transactions are shown. */
export const bound = () => ({ index: true, count: false });
/** @type {string[]} */
export const unshownOfEvents = [];
/** @type {string | null} */
export const noReceipts = null;
