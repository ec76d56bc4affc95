// @ts-check
// Levels 1 and 2 of the EVM family in JSON, with the names of Ethereum's nodes.

import { keccak256, toHex } from "../../verify/hash.js";
import { transactionFields } from "./evm-transaction.js";

/** @typedef {import("./index.js").ShownProof} ShownProof */
/** @typedef {import("../../verify/ledger/evm.js").Entry} Entry */
/** @typedef {import("../../verify/ledger/evm.js").Header} Header */
/** @typedef {import("../../verify/ledger/evm.js").Receipt} Receipt */
/** @typedef {import("../../verify/ledger/evm.js").Log} Log */

const TRIE_NODES_MAX = 20;
/** A JSON-RPC quantity. @param {number | bigint} value */
const quantity = (value) => `0x${value.toString(16)}`;

/** @param {Header} header */
function header({ hash, fields }) {
  const members = Object.entries(fields).map(([name, value]) =>
    [name, typeof value === "bigint" ? quantity(value) : toHex(value)]);
  return { ...Object.fromEntries(members), hash: toHex(hash) };
}

/** @param {import("../compare.js").Member} root @returns {Entry} */
function parse(root) {
  const [transaction, receipt] = ["siblings", "receiptSiblings"].map((name) =>
    root.optional(name)?.byteStrings(TRIE_NODES_MAX) ?? null);
  return { transaction, receipt };
}

/** @param {Log} log */
export const logMembers = ({ address, topics, data }) =>
  ({ address: toHex(address), topics: topics.map(toHex), data: toHex(data) });

/** @param {Receipt} receipt @param {object} place @param {string | undefined} transactionHash */
function receiptMembers(receipt, place, transactionHash) {
  const { type, succeeded, stateRoot, cumulativeGasUsed, bloom, logs, deposit, feeCurrencyBaseFee } = receipt;
  return {
    type: quantity(type), cumulativeGasUsed: quantity(cumulativeGasUsed), logsBloom: toHex(bloom),
    ...(stateRoot ? { root: toHex(stateRoot) } : { status: succeeded ? "0x1" : "0x0" }),
    ...(deposit ? { depositNonce: quantity(deposit.nonce), depositReceiptVersion: quantity(deposit.version) } : {}),
    ...(feeCurrencyBaseFee === null ? {} : { baseFee: quantity(feeCurrencyBaseFee) }),
    logs: logs.map((log, at) => ({ ...logMembers(log), logIndex: quantity(at), removed: false, ...place, transactionHash })),
  };
}

/** @param {Entry} tries @param {ShownProof} shown */
function entry(tries, { number, subject, rule, blockHash, header: block, entry: proven }) {
  const { transaction, receipt } = proven ?? { transaction: null, receipt: null };
  const hash = transaction ? toHex(transaction.hash) : undefined;
  const place = { blockHash: blockHash ? toHex(blockHash) : undefined, blockNumber: quantity(number),
    transactionIndex: quantity(subject.txIndex) };
  const receiptsRoot = proven?.receiptsRoot ?? /** @type {any} */ (block)?.receiptsRoot;
  return {
    transactionsRoot: tries.transaction && proven?.transactionsRoot ? toHex(proven.transactionsRoot) : undefined,
    siblings: tries.transaction?.map(toHex), transactionHash: hash,
    rawTransaction: transaction ? toHex(transaction.raw) : undefined,
    transaction: transaction ? { ...transactionFields(transaction.raw, rule), ...place } : undefined,
    receiptRoot: receiptsRoot ? toHex(receiptsRoot) : undefined, receiptSiblings: tries.receipt?.map(toHex),
    rawReceipt: receipt ? toHex(receipt.raw) : undefined,
    receipt: receipt ? receiptMembers(receipt, place, hash) : undefined,
  };
}

/** The three bits of an address or topic in a bloom. @param {Uint8Array} input */
export function bloomBits(input) {
  const hash = keccak256(input);
  return [0, 2, 4].map((at) => ((hash[at] << 8) | hash[at + 1]) & 0x7ff);
}

/** @param {Uint8Array} bloom @param {number} bit */
export const hasBit = (bloom, bit) => ((bloom[255 - (bit >> 3)] >> (bit & 7)) & 1) === 1;

/** @param {Entry} _ @param {ShownProof} shown */
function event(_, { subject, header: block, entry: proven }) {
  if (proven?.event?.kind !== "log" || !proven.receipt) return {};
  const { log } = proven.event;
  const bits = [log.address, ...log.topics].map(bloomBits);
  const isIn = (/** @type {Uint8Array} */ bloom) => bits.flat().every((bit) => hasBit(bloom, bit));
  const ofHeader = /** @type {any} */ (block)?.bloom;
  return { event: { ...logMembers(log), logIndex: subject.logIndex },
    bloom: { inReceipt: isIn(proven.receipt.bloom), inHeader: ofHeader ? isIn(ofHeader) : undefined, bits } };
}

/** @type {import("./index.js").LedgerForm<Entry, Header>} */
export const evm = {
  parse, header, entry, event,
  roots: ({ transactionsRoot, receiptsRoot }) => ({ transactionsRoot, receiptsRoot }),
  unshownOfEvents: [], noReceipts: null,
};
