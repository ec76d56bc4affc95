// @ts-check
// The Bitcoin family in JSON. Hashes are in the order in which they are hashed, and reversed as explorers show them.

import { toHex } from "../../verify/hash.js";
import { hashOf, readTransaction } from "../../verify/ledger/bitcoin.js";
import { plain } from "./spelling.js";

/** @typedef {import("../compare.js").Member} Member */
/** @typedef {import("../../verify/ledger/bitcoin.js").Entry} Entry */
/** @typedef {import("../../verify/ledger/bitcoin.js").Header} Header */
/** @typedef {import("../../verify/ledger/bitcoin.js").Branch} Branch */
/** @typedef {import("../../verify/ledger/bitcoin.js").Output} Output */
/** @typedef {import("./index.js").ShownProof} ShownProof */

const BRANCH_MAX = 15;
/** @param {Uint8Array} hash */
const explorerHash = (hash) => plain(Uint8Array.from(hash).reverse());

/** @param {Member} members @returns {Branch} */
const readBranch = (members) =>
  ({ leaf: members.get("rawTransaction").bytes(), siblings: members.get("siblings").hashes(BRANCH_MAX) });

/** @param {Branch} branch */
function branchRow({ leaf, siblings }) {
  const hash = hashOf(leaf);
  return { transactionHash: toHex(hash), txid: explorerHash(hash), rawTransaction: toHex(leaf), siblings: siblings.map(toHex) };
}

/** @param {Output} output @param {number} logIndex */
const outputRow = ({ satoshi, script }, logIndex) => ({ logIndex, valueSats: String(satoshi), scriptPubKey: toHex(script) });

/** @param {Uint8Array} raw @param {Uint8Array} hash @param {number} txIndex */
function transactionRow(raw, hash, txIndex) {
  const { version, lockTime, inputs, outputs, isCoinbase } = readTransaction(raw);
  return {
    hash: toHex(hash), txid: explorerHash(hash), transactionIndex: txIndex, version, lockTime,
    inputs: inputs.map(({ previousHash, previousIndex, script, sequence }) => (isCoinbase
      ? { coinbase: toHex(script), sequence }
      : { previousHash: toHex(previousHash), previousTxid: explorerHash(previousHash), previousIndex, scriptSig: toHex(script),
        sequence })),
    outputs: outputs.map(outputRow),
  };
}

/** @type {import("./index.js").LedgerForm<Entry, Header>} */
export const bitcoin = {
  parse(root, { kind }) {
    const count = root.get("transactionCount").position();
    const own = readBranch(kind === "absence" ? root.get("lastTransaction") : root);
    const coinbase = root.optional("coinbase");
    return { count, own, coinbase: coinbase ? readBranch(coinbase) : null };
  },
  header: ({ hash, parentHash, merkleRoot, timestamp, fields }) => ({
    hash: toHex(hash), explorerHash: explorerHash(hash), parentHash: toHex(parentHash ?? []), merkleRoot: toHex(merkleRoot),
    version: fields.version, timestamp, bits: `0x${fields.bits.toString(16).padStart(8, "0")}`, nonce: fields.nonce }),
  entry({ count, own, coinbase }, { subject, entry }) {
    const transaction = entry?.transaction;
    const root = entry?.transactionsRoot;
    return {
      transactionsRoot: root ? toHex(root) : undefined, transactionCount: count,
      coinbase: coinbase ? branchRow(coinbase) : undefined,
      ...(transaction ? { siblings: own.siblings.map(toHex), rawTransaction: toHex(transaction.raw),
        transactionHash: toHex(transaction.hash), txid: explorerHash(transaction.hash),
        transaction: transactionRow(transaction.raw, transaction.hash, subject.txIndex) } : { lastTransaction: branchRow(own) }),
    };
  },
  event: (_, { subject, entry }) =>
    (entry?.event?.kind === "output" ? { event: outputRow(entry.event.output, subject.logIndex) } : {}),
  roots: ({ merkleRoot }) => ({ transactionsRoot: merkleRoot }),
  unshownOfEvents: [],
  noReceipts: "Bitcoin has no receipts: the transaction itself, which is proven, has its outputs",
};
