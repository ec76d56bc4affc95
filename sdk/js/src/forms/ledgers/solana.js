// @ts-check
// Solana in JSON. Signatures, hashes and addresses are in base58; hashes of the proof itself in hex.

import { toHex } from "../../verify/hash.js";
import { readTransaction } from "../../verify/ledger/solana.js";
import { base58, orNull } from "./spelling.js";

/** @typedef {import("../../verify/ledger/solana.js").Entry} Entry */
/** @typedef {import("../../verify/ledger/index.js").Header} Header */
/** @typedef {import("../../verify/ledger/solana.js").Transaction} Transaction */

const [SIGNATURES_MAX, PATH_MAX, RECORDS_MAX] = [19, 16, 32768];

/** @param {Transaction} read @param {Uint8Array} hash */
const transactionRow = (read, hash) => ({
  hash: toHex(hash), signatures: read.signatures.map(base58), version: read.version === null ? "legacy" : String(read.version),
  message: {
    header: { numRequiredSignatures: read.signatures.length, numReadonlySignedAccounts: read.readonlySigned,
      numReadonlyUnsignedAccounts: read.readonlyUnsigned },
    accountKeys: read.accountKeys.map(base58), recentBlockhash: base58(read.recentBlockhash),
    instructions: read.instructions.map(({ programIndex, accountIndexes, data }) =>
      ({ programIdIndex: programIndex, accounts: [...accountIndexes], data: base58(data) })),
    addressTableLookups: read.lookups.map(({ table, writableIndexes, readonlyIndexes }) =>
      ({ accountKey: base58(table), writableIndexes: [...writableIndexes], readonlyIndexes: [...readonlyIndexes] })),
  },
});

/** @type {import("./index.js").LedgerForm<Entry, Header>} */
export const solana = {
  parse: (root) => ({
    before: root.get("hashBefore").hash(), transaction: root.get("rawTransaction").bytes(),
    signatureIndex: root.get("signatureIndex").position(), signatureCount: root.get("signatureCount").position(),
    paths: root.get("signatureSiblings").items(SIGNATURES_MAX).map((path) => path.hashes(PATH_MAX)),
    records: root.get("records").items(RECORDS_MAX).map((record) =>
      ({ numHashes: record.get("numHashes").position(), mixin: record.get("mixin").hash() })),
    tailHashes: root.get("tailHashes").position(),
  }),
  header: ({ hash }) => ({ hash: toHex(hash), blockhash: base58(hash) }),
  entry(own, { entry, boundIndexes, isBlockBound }) {
    const proven = entry?.transaction;
    const read = proven ? orNull(() => readTransaction(proven.raw)) : null;
    return {
      transactionsRoot: entry?.transactionsRoot ? toHex(entry.transactionsRoot) : undefined,
      rawTransaction: proven ? toHex(proven.raw) : undefined, transactionHash: proven ? toHex(proven.hash) : undefined,
      transaction: proven && read ? transactionRow(read, proven.hash) : undefined,
      transactionSignature: read ? base58(read.signatures[0]) : undefined, indexBound: boundIndexes.txIndex,
      blockBound: isBlockBound, hashBefore: toHex(own.before), signatureIndex: own.signatureIndex,
      signatureCount: own.signatureCount, signatureSiblings: own.paths.map((path) => path.map(toHex)),
      records: own.records.map(({ numHashes, mixin }) => ({ numHashes, mixin: toHex(mixin) })), tailHashes: own.tailHashes,
    };
  },
  event: () => ({}),
  roots: ({ hash }) => ({ transactionsRoot: hash }),
  unshownOfEvents: [],
  noReceipts: "a blockhash commits to signatures alone: neither status nor logs are committed to",
};
