// @ts-check
// The ICP ledger in JSON. Amounts are e8s and times nanoseconds, both as decimal text; accounts are hex without 0x.

import { toHex } from "../../verify/hash.js";
import { readTransaction } from "../../verify/ledger/icp.js";
import { plain } from "./spelling.js";

/** @typedef {import("../../verify/ledger/icp.js").Entry} Entry */
/** @typedef {import("../../verify/ledger/icp.js").Header} Header */
/** @typedef {import("../../verify/ledger/icp.js").Operation} Operation */

/** @param {Uint8Array | null | undefined} account */
const account = (account) => (account ? plain(account) : null);
/** @param {bigint | null | undefined} number */
const decimal = (number) => (number === null || number === undefined ? null : String(number));

/** @param {Operation} operation */
function operationRow(operation) {
  const { kind, from, to, spender, amount, fee, allowance, expectedAllowance, expiresAt } = /** @type {any} */ (operation);
  return { kind, from: account(from), to: account(to), spender: account(spender), amountE8s: decimal(amount),
    feeE8s: decimal(fee), allowanceE8s: decimal(allowance), expectedAllowanceE8s: decimal(expectedAllowance),
    expiresAtNanos: decimal(expiresAt) };
}

/** @type {import("./index.js").LedgerForm<Entry, Header>} */
export const icp = {
  parse: (root) => ({ block: root.get("encodedBlock").bytes() }),
  header({ hash, parentHash, timestamp, timestampNanos }) {
    // the first block names no parent
    const isFirst = parentHash.every((byte) => byte === 0);
    return { hash: toHex(hash), explorerHash: plain(hash), parentHash: isFirst ? null : toHex(parentHash),
      explorerParentHash: isFirst ? null : plain(parentHash), timestamp, timestampNanos: String(timestampNanos) };
  },
  entry({ block }, { entry }) {
    const proven = entry?.transaction;
    const read = proven ? readTransaction(proven.raw) : null;
    return {
      transactionsRoot: entry?.transactionsRoot ? toHex(entry.transactionsRoot) : undefined, transactionCount: 1,
      encodedBlock: toHex(block),
      ...(proven && read ? { rawTransaction: toHex(proven.raw), transactionHash: toHex(proven.hash),
        explorerTransactionHash: plain(proven.hash),
        transaction: { hash: toHex(proven.hash), explorerHash: plain(proven.hash), transactionIndex: 0,
          operation: operationRow(read.operation), memo: String(read.memo), createdAtNanos: decimal(read.createdAt),
          icrc1Memo: read.icrc1Memo ? toHex(read.icrc1Memo) : null } } : {}),
    };
  },
  event: (_, { subject, entry }) => (entry?.event?.kind === "operation"
    ? { event: { logIndex: subject.logIndex, ...operationRow(entry.event.operation) } } : {}),
  roots: ({ hash }) => ({ transactionsRoot: hash }),
  unshownOfEvents: [],
  noReceipts: "the ledger has no receipts: its blocks hold only what was done",
};
